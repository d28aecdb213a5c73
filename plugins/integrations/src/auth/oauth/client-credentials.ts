import { z } from 'zod'
import { tablesOf } from '../../tables/tables.ts'
import { authType } from '../auth.ts'
import { oauthKeys } from './definition.ts'
import { checkUrls, Endpoint } from './endpoint.ts'
import { Keeper } from './keeper.ts'

/** `oauth2_client_credentials`: a token for the service itself (RFC 6749, section 4.4). */
export const clientCredentials = authType({
  definition: z.strictObject({
    type: z.literal('oauth2_client_credentials'),
    ...oauthKeys,
    clientSecret: z.string().describe('The secret: ${NAME}.'),
  }),
  compile(written, path, site, parts) {
    const secret = site.secret([...path, 'clientSecret'])
    if (!checkUrls(written, path, site, parts.outbound) || secret === undefined) return undefined
    const endpoint = new Endpoint(written, secret, { outbound: parts.outbound, now: parts.env.now })
    const { connections: table } = tablesOf(site.model)
    const keeper = new Keeper(
      {
        integration: String(path[0]),
        table,
        of: JSON.stringify({ ...written, clientSecret: secret.variable }),
      },
      parts,
    )
    return {
      type: 'oauth2_client_credentials',
      headers: ['Authorization'],
      query: [],
      secrets: [secret],
      async authorize({ signal, timeoutMs }) {
        const asked = await keeper.usable((_, asking) => endpoint.byCredentials(asking), {
          signal,
          timeoutMs,
        })
        return { headers: { Authorization: `Bearer ${asked?.access ?? ''}` } }
      },
      renew: (used) => keeper.drop(tokenIn(used)),
    }
  },
})

/** The token that a request was authorized by. */
export const tokenIn = ({ headers }: { readonly headers?: Readonly<Record<string, string>> }): string =>
  headers?.['Authorization']?.slice('Bearer '.length) ?? ''
