import { type Action, defineAction, errors } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import { z } from 'zod'
import type { Auth } from '../../auth.ts'
import { keyOf } from '../../fields.ts'
import { summaryOf, userSummary } from '../../profile.ts'
import { ADMIN } from '../../roles.ts'
import { all, any, eq } from '../../rows.ts'
import { users } from '../../tables.ts'
import { listUsers as findUsers } from '../../users.ts'
import { type ListQuery, rangeOf, reportUnknown, textOf } from '../../list-query.ts'

const { columns } = users

const listed = z.strictObject({ items: z.array(userSummary), count: z.int() })
const LIST_PARAMETERS = ['limit', 'offset', 'search', 'status']

/** Lists users by search and status. */
export function listUsers({ prefix, store }: Auth): Action {
  return defineAction<ListQuery, z.output<typeof listed>>({
    name: 'admin.users.list',
    summary: 'Lists users in order of their creation',
    access: [ADMIN],
    routes: [`GET ${prefix}/admin/users`],
    bind: (request) => request.query,
    output: listed,
    notes: { query: LIST_PARAMETERS },
    async handle(query, call) {
      reportUnknown(query, LIST_PARAMETERS, call)
      const found = await findUsers(store, conditionOf(query), rangeOf(query))
      return { items: found.map(summaryOf), count: found.length }
    },
  })
}

/** `search` looks anywhere in username and email, without regard to case; `%` and `_` are wildcards in it. */
function conditionOf(query: ListQuery): Condition {
  const search = textOf(query, 'search')
  const status = textOf(query, 'status')
  if (status !== undefined && status !== 'active' && status !== 'suspended') {
    throw errors.INVALID_QUERY({ message: "'status' must be 'active' or 'suspended'" })
  }
  const pattern = `%${keyOf(search ?? '')}%`
  return all(
    status === undefined ? { op: 'always' } : eq(columns.status, status),
    search === undefined
      ? { op: 'always' }
      : any(
          { op: 'like', column: columns.username_key, pattern },
          { op: 'like', column: columns.email_key, pattern },
        ),
  )
}
