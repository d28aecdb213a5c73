import { isUrl } from '@svc/outbound/contract'
import { createHash } from 'node:crypto'
import { errors } from '@svc/kernel'
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi'
import { z } from 'zod'
import { STATE } from '../../tables/connections.ts'
import { tablesOf } from '../../tables/tables.ts'
import { authType } from '../auth.ts'
import { NotAuthorized } from '../failed.ts'
import { tokenIn } from './client-credentials.ts'
import { oauthKeys } from './definition.ts'
import { type Asking, checkUrls, Disconnected, Endpoint } from './endpoint.ts'
import type { Flow } from './flow.ts'
import { Keeper } from './keeper.ts'

/** How long somebody may take to consent, in milliseconds. */
const CONSENT_MS = 600_000
const STATE_BYTES = 32

/** What an answer is taken up with. */
interface Begun {
  readonly verifier: string
  readonly redirectUri: string
  /** The id of who began. */
  readonly account: string | null
}

/** `oauth2_authorization_code`: a token that somebody has consented to (RFC 6749, section 4.1). */
export const authorizationCode = authType({
  definition: z.strictObject({
    type: z.literal('oauth2_authorization_code'),
    ...oauthKeys,
    clientSecret: z.string().optional().describe('The secret, where there is one: ${NAME}.'),
    authorizationUrl: z.string().min(1).describe('Where somebody consents.'),
    revocationUrl: z.string().min(1).optional().describe('Where tokens are given back.'),
  }),
  compile(written, path, site, parts) {
    const { accounts, outbound, env, store, kept, publicUrl } = parts
    const secret = written.clientSecret === undefined ? null : site.secret([...path, 'clientSecret'])
    const isSound = checkUrls(written, path, site, outbound)
    if (publicUrl === undefined)
      site.problem(
        [...path, 'type'],
        'needs an address to which people come back',
        "Let the operator configure 'integrations.public_url'",
      )
    if (!isSound || secret === undefined || publicUrl === undefined) return undefined
    const integration = String(path[0])
    const { connections: table, states } = tablesOf(site.model)
    const endpoint = new Endpoint(written, secret ?? undefined, { outbound, now: env.now })
    const of = JSON.stringify({ ...written, clientSecret: secret?.variable })
    const keeper = new Keeper({ integration, table, of }, parts)
    const [prefix = ''] = site.model.prefixes
    const redirectUri = `${publicUrl.replace(/\/+$/, '')}${prefix}/integrations/${integration}/oauth/callback`
    const place = `${states.name} ${integration}`

    const flow: Flow = {
      async begin(account) {
        const state = Buffer.from(env.randomBytes(STATE_BYTES)).toString('base64url')
        const verifier = generateRandomCodeVerifier()
        const expiresAt = new Date(env.now() + CONSENT_MS).toISOString()
        const sealed = kept.seal(JSON.stringify({ verifier, redirectUri, account } satisfies Begun), place)
        const now = new Date(env.now()).toISOString()
        await store.transaction(async (transaction) => {
          await transaction.remove({ table: states, where: { op: 'lt', column: STATE.until, value: now } })
          const values = { digest: digestOf(state), integration, sealed, until: expiresAt }
          await transaction.insert({ table: states, values })
        })
        const url = new URL(written.authorizationUrl)
        const { scopes, audience, params = {} } = written
        const asked = {
          ...params,
          response_type: 'code',
          client_id: written.clientId,
          redirect_uri: redirectUri,
          state,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(scopes !== undefined && { scope: [scopes].flat().join(' ') }),
          ...(audience !== undefined && { audience }),
        }
        for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
        return { authorizationUrl: url.href, expiresAt }
      },
      async finish({ code, state, iss, error }, asking) {
        const begun = await taken(state)
        if (error !== undefined) throw refused(`The other side answered: ${error.slice(0, 100)}`)
        if (iss !== undefined && !isOf(iss, written.authorizationUrl))
          throw refused('The answer comes from another side than was asked')
        if (code === undefined) throw refused("'code' is missing")
        try {
          const tokens = await endpoint.byCode({ code, ...begun }, asking)
          // Whoever has gone meanwhile is named nowhere.
          await keeper.connect(tokens, begun.account ? await accounts.find(begun.account) : undefined)
        } catch (cause) {
          if (cause instanceof Disconnected) throw refused('The code is of no use any more: connect again')
          throw cause
        }
      },
      async look() {
        const found = await keeper.connection()
        return {
          connected: found !== undefined,
          scopes: found?.tokens.scopes?.split(' ') ?? null,
          expiresAt: found === undefined ? null : new Date(found.tokens.until).toISOString(),
          connectedBy: found?.connectedBy ?? null,
          connectedAt: found?.connectedAt ?? null,
        }
      },
      async end(asking) {
        const found = await keeper.disconnect()
        if (found === undefined) return
        // Here it is over, whatever becomes of it there.
        await endpoint.revoke(found.refresh ?? found.access, asking).catch(() => undefined)
      },
    }

    const taken = async (state: string): Promise<Begun> => {
      const digest = digestOf(state)
      const row = await store.transaction(async (transaction) => {
        const where = { op: 'eq', column: STATE.digest, value: digest } as const
        const [found] = await transaction.select({ table: states, columns: states.columns, where, order: [] })
        // Whoever takes it away has it.
        const isOurs =
          found?.['integration'] === integration && (await transaction.remove({ table: states, where })) === 1
        return isOurs ? found : undefined
      })
      const text = row && kept.open(String(row['sealed']), place)
      if (row === undefined || text === undefined || Date.parse(String(row['until'])) <= env.now())
        throw refused("'state' is unknown, used or too old: connect again")
      return JSON.parse(text) as Begun
    }

    const renewed = (old: { readonly refresh: string | undefined } | undefined, asking: Asking) =>
      old?.refresh === undefined ? Promise.resolve(undefined) : endpoint.byRefresh(old.refresh, asking)

    return {
      type: 'oauth2_authorization_code',
      headers: ['Authorization'],
      query: [],
      secrets: secret === null ? [] : [secret],
      flow,
      async isConnected() {
        const found = await keeper.connection()
        return found !== undefined && (found.tokens.refresh !== undefined || found.tokens.until > env.now())
      },
      async authorize({ signal, timeoutMs }) {
        const tokens = await keeper.usable(renewed, { signal, timeoutMs })
        if (tokens !== undefined) return { headers: { Authorization: `Bearer ${tokens.access}` } }
        const message = `the integration '${integration}' is not connected: somebody has to consent again`
        throw new NotAuthorized({ kind: 'answer', message, mayHaveArrived: false })
      },
      renew: (used) => keeper.drop(tokenIn(used)),
    }
  },
})

const digestOf = (state: string): string => createHash('sha256').update(state).digest('hex')

const refused = (message: string) => errors.BAD_REQUEST({ message })

/** Whether an issuer (RFC 9207) is at home where somebody consented. */
const isOf = (issuer: string, url: string): boolean =>
  isUrl(issuer) && new URL(issuer).origin === new URL(url).origin
