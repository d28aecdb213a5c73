import { type CallAction, SYSTEM } from '@svc/kernel'
import { clientKey } from '@svc/ratelimit/contract'
import type { Auth } from './auth.ts'
import type { Account, Accounts } from './contract.ts'
import { isId } from './fields.ts'
import { writesOf } from './identities.ts'
import { activeAdmins, hasActiveAdmin } from './last-admin.ts'
import { leave, referencedAsConflict } from './leaving.ts'
import { accountOf } from './profile.ts'
import { holdsOneOf, listRoles, replaceRoles, rolesOf, rolesOfAll } from './roles.ts'
import { all, any, eq, textIn, timestamp } from './rows.ts'
import { endSessions } from './sessions.ts'
import { users } from './tables.ts'
import { voidTickets } from './tickets.ts'
import { byEmail, byId, findNamed, findUser, holdUser, listUsers } from './users.ts'

const { table, columns } = users

/** Makes the service for other plugins; what an action does already is left to the action. */
export function createAccounts(
  { store, env, passwords, identities, deriveKey, bus, reservations }: Auth,
  call: CallAction,
): Accounts {
  const describe = async (ids: readonly string[]) => {
    const values = ids.filter(isId)
    if (values.length === 0) return []
    const where = { op: 'in', column: columns.id, values } as const
    const rows = await store.select({ table, columns: [columns.id, columns.username], where, order: [] })
    return rows.map((row) => ({ id: textIn(row, columns.id), username: textIn(row, columns.username) }))
  }

  return {
    usersKey: { table: table.name, column: columns.id.name },
    reserve: (names) => reservations.add(names),
    create: (account) => call('admin.users.create', account),
    async find(idOrUsername): Promise<Account | undefined> {
      const user = await findNamed(store, idOrUsername)
      return user && accountOf(user, await rolesOf(store, user.id))
    },
    async ofAddress(email) {
      const user = await findUser(store, byEmail(email))
      return user && accountOf(user, await rolesOf(store, user.id))
    },
    async active({ roles = [], ids = [] }, limit) {
      const where = all(
        eq(columns.status, 'active'),
        any(holdsOneOf(roles), { op: 'in', column: columns.id, values: ids.filter(isId) }),
      )
      const found = await listUsers(store, where, { limit, offset: 0 })
      const held = await rolesOfAll(
        store,
        found.map(({ id }) => id),
      )
      return found.map((user) => accountOf(user, held.get(user.id) ?? []))
    },
    async setPassword(userId, password) {
      const passwordHash = await passwords.hash(password, 'password', clientKey(''))
      await identities.change(SYSTEM, userId, async (transaction) => {
        await holdUser(transaction, userId)
        const set = { password_hash: passwordHash }
        await transaction.update({ table, set, where: byId(userId) })
        await voidTickets(transaction, 'resetPassword', userId)
        await endSessions(transaction, userId, timestamp(env.now()))
      })
    },
    grantRoles: (userId, roles) =>
      identities.change(SYSTEM, userId, async (transaction) => {
        await holdUser(transaction, userId)
        return replaceRoles(transaction, userId, [...(await rolesOf(transaction, userId)), ...roles])
      }),
    settleWrites: (id, transaction) => transaction.exclusiveLock(writesOf(id)),
    async remove(removing) {
      try {
        await leave(removing, bus)
        removing.afterCommit.push(await identities.changeInside(removing.id, removing.transaction))
      } catch (error) {
        throw referencedAsConflict(error)
      }
    },
    hasActiveAdmin: () => hasActiveAdmin(store),
    transaction: identities.transaction,
    define: identities.define,
    get foreignChanges() {
      return identities.foreignChanges
    },
    credentialsOf: identities.credentialsOf,
    identify: identities.stand,
    activeAdmins: () => activeAdmins(store),
    hashSecrets: passwords.hashSecrets,
    listRoles: () => listRoles(store),
    createRole: (role) => call('admin.roles.create', role),
    exists: async (ids) => new Set((await describe(ids)).map(({ id }) => id)),
    describe,
    deriveKey,
  }
}
