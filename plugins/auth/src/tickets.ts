import type { Environment } from '@svc/kernel'
import type { Reader, Transaction } from '@svc/store/contract'
import { keyOf } from './fields.ts'
import { all, eq, gt, isNull, textIn, timestamp } from './rows.ts'
import { digest, newSecret } from './secret.ts'
import { tickets } from './tables.ts'
import type { User } from './users.ts'

const HOUR_MS = 3_600_000

/** How long each kind of single-use token is good, in milliseconds. */
const LIFETIME_MS = { verifyEmail: 24 * HOUR_MS, resetPassword: HOUR_MS }

export type TicketKind = keyof typeof LIFETIME_MS

/** Whom a single-use token speaks for: a user, and the address that it was sent to. */
export interface Ticket {
  readonly userId: string
  readonly emailKey: string
}

const { table, columns } = tickets

/** Makes a single-use token for the user's address. The last one counts: earlier ones of its kind are void. */
export async function issueTicket(
  transaction: Transaction,
  env: Environment,
  kind: TicketKind,
  user: Pick<User, 'id' | 'email'>,
): Promise<string> {
  await voidTickets(transaction, kind, user.id)
  const token = newSecret(env)
  const values = {
    hash: digest(token),
    user_id: user.id,
    kind,
    email_key: keyOf(user.email),
    expires_at: timestamp(env.now() + LIFETIME_MS[kind]),
    used_at: null,
  }
  await transaction.insert({ table, values })
  return token
}

/** Whom a token that could be used now speaks for. */
export async function findTicket(
  reader: Reader,
  env: Environment,
  kind: TicketKind,
  token: string,
): Promise<Ticket | undefined> {
  const where = isLive(env, kind, token)
  const asked = [columns.user_id, columns.email_key]
  const [row] = await reader.select({ table, columns: asked, where, order: [], limit: 1 })
  return row && { userId: textIn(row, columns.user_id), emailKey: textIn(row, columns.email_key) }
}

/** Uses up a token; of many tries at once exactly one is answered true. */
export async function useTicket(
  transaction: Transaction,
  env: Environment,
  kind: TicketKind,
  token: string,
): Promise<boolean> {
  const set = { used_at: timestamp(env.now()) }
  return (await transaction.update({ table, set, where: isLive(env, kind, token) })).count === 1
}

/** Makes the outstanding tokens of one kind useless. */
export async function voidTickets(transaction: Transaction, kind: TicketKind, userId: string): Promise<void> {
  await transaction.remove({ table, where: all(eq(columns.user_id, userId), eq(columns.kind, kind)) })
}

const isLive = (env: Environment, kind: TicketKind, token: string) =>
  all(
    eq(columns.hash, digest(token)),
    eq(columns.kind, kind),
    isNull(columns.used_at),
    gt(columns.expires_at, timestamp(env.now())),
  )
