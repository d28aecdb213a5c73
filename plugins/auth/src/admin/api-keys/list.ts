import { type Action, defineAction } from '@svc/kernel'
import { z } from 'zod'
import { apiKeyRecord, recordOf } from '../../api-key-record.ts'
import { listKeys, rolesOfKeys } from '../../api-keys.ts'
import type { Auth } from '../../auth.ts'
import { ADMIN } from '../../roles.ts'
import { type ListQuery, rangeOf, reportUnknown } from '../../list-query.ts'

const listed = z.strictObject({ items: z.array(apiKeyRecord), count: z.int() })
const LIST_PARAMETERS = ['limit', 'offset']

/** Lists API keys; what they are good for, never the keys themselves. */
export function listApiKeys({ prefix, store }: Auth): Action {
  return defineAction<ListQuery, z.output<typeof listed>>({
    name: 'admin.api-keys.list',
    summary: 'Lists API keys in order of their creation',
    access: [ADMIN],
    routes: [`GET ${prefix}/admin/api-keys`],
    bind: (request) => request.query,
    output: listed,
    notes: { query: LIST_PARAMETERS },
    async handle(query, call) {
      reportUnknown(query, LIST_PARAMETERS, call)
      const keys = await listKeys(store, rangeOf(query))
      const ids = keys.map(({ id }) => id)
      const roles = await rolesOfKeys(store, ids)
      return { items: keys.map((key) => recordOf(key, roles.get(key.id) ?? [])), count: keys.length }
    },
  })
}
