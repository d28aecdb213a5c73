import { z } from 'zod'
import { authType } from './auth.ts'
import { headerNameFault } from '../wire/headers.ts'
import { revealed } from './secret.ts'

/** `api_key`: a key in a header, or in the query. */
export const apiKey = authType({
  definition: z.strictObject({
    type: z.literal('api_key'),
    key: z.string().describe('The key: ${NAME}.'),
    header: z.string().min(1).optional().describe('The header that holds it: X-API-Key unless said.'),
    query: z.string().min(1).optional().describe('The query parameter that holds it, in place of a header.'),
    prefix: z.string().optional().describe('What stands before the key; nothing unless said.'),
  }),
  compile({ header = 'X-API-Key', query, prefix = '' }, path, site) {
    const secret = site.secret([...path, 'key'])
    const fault = headerNameFault(header)
    if (fault !== undefined) site.problem([...path, 'header'], fault)
    if (secret === undefined || fault !== undefined) return undefined
    return {
      type: 'api_key',
      headers: query === undefined ? [header] : [],
      query: query === undefined ? [] : [query],
      secrets: [secret],
      authorize() {
        const value = `${prefix}${revealed(secret)}`
        return query === undefined ? { headers: { [header]: value } } : { query: { [query]: value } }
      },
    }
  },
})
