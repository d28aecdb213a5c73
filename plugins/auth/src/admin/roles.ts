import { type Action, defineAction, Reply } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import { bodyAndPath } from '../body.ts'
import type { Role } from '../contract.ts'
import { authErrors } from '../errors.ts'
import { roleName } from '../fields.ts'
import { ADMIN, insertRole, listRoles } from '../roles.ts'
import { timestamp } from '../rows.ts'
import { type ListQuery, reportUnknown } from './list-query.ts'

/** What administrators do about roles. */
export const roleActions = (auth: Auth): readonly Action[] => [list(auth), create(auth)]

const role = z.strictObject({ name: z.string(), description: z.string() })
const listed = z.strictObject({ items: z.array(role), count: z.int() })

function list({ prefix, store }: Auth): Action {
  return defineAction<ListQuery, z.output<typeof listed>>({
    name: 'admin.roles.list',
    summary: 'Lists the roles that users can hold',
    access: [ADMIN],
    routes: [`GET ${prefix}/admin/roles`],
    bind: (request) => request.query,
    output: listed,
    async handle(query, call) {
      reportUnknown(query, [], call)
      const items = [...(await listRoles(store))]
      return { items, count: items.length }
    },
  })
}

const newRole = z.strictObject({ name: roleName, description: z.string().max(1000).default('') })

function create({ prefix, store, env }: Auth): Action {
  return defineAction<z.output<typeof newRole>, Role>({
    name: 'admin.roles.create',
    summary: 'Adds a role that users can hold',
    access: [ADMIN],
    routes: [`POST ${prefix}/admin/roles`],
    bind: bodyAndPath,
    input: newRole,
    output: role,
    notes: { status: 201 },
    async handle(given) {
      const isNew = await store.transaction((transaction) =>
        insertRole(transaction, given, timestamp(env.now())),
      )
      if (!isNew) throw authErrors.DUPLICATE()
      return Reply.created(given)
    },
  })
}
