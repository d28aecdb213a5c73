import { type Action, defineAction, errors, Reply } from '@svc/kernel'
import { z } from 'zod'
import type { Auth } from '../auth.ts'
import type { Role } from '../contract.ts'
import { authErrors } from '../errors.ts'
import { roleName } from '../fields.ts'
import { ADMIN, insertRole, listRoles, removeRole } from '../roles.ts'
import { timestamp } from '../rows.ts'
import { type ListQuery, reportUnknown } from '../list-query.ts'

/** What administrators do about roles. */
export const roleActions = (auth: Auth): readonly Action[] => [list(auth), create(auth), remove(auth)]

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

function create({ prefix, identities, env }: Auth): Action {
  return defineAction<z.output<typeof newRole>, Role>({
    name: 'admin.roles.create',
    summary: 'Adds a role that users can hold',
    access: [ADMIN],
    routes: [`POST ${prefix}/admin/roles`],
    input: newRole,
    output: role,
    notes: { status: 201 },
    async handle(given, { caller }) {
      const isNew = await identities.transaction(caller, (transaction) =>
        insertRole(transaction, given, timestamp(env.now())),
      )
      if (!isNew) throw authErrors.DUPLICATE()
      return Reply.created(given)
    },
  })
}

const named = z.strictObject({ name: z.string() })

/** Who holds the role loses it with the role: users and API keys, from their next request on. */
function remove({ prefix, registration, identities, log }: Auth): Action {
  return defineAction<z.output<typeof named>, never>({
    name: 'admin.roles.remove',
    summary: 'Removes a role, from those who hold it too',
    access: [ADMIN],
    routes: [`DELETE ${prefix}/admin/roles/:name`],
    input: named,
    async handle({ name }, { caller }) {
      if (name === ADMIN)
        throw errors.CONFLICT({ message: `The role '${ADMIN}' is built in: take it from its holders` })
      if (registration.roles.includes(name))
        throw errors.CONFLICT({
          message: `New accounts get the role '${name}': take it out of 'auth.registration.roles' first`,
        })
      const couldBe = roleName.safeParse(name).success
      const isGone =
        couldBe && (await identities.changeAll(caller, (transaction) => removeRole(transaction, name)))
      if (!isGone) throw errors.NOT_FOUND({ message: 'No role has this name' })
      log.info({ role: name, by: caller.id }, 'auth.role_removed')
      return Reply.empty()
    },
  })
}
