import type { Environment } from '@svc/kernel'
import type { Condition, Reader, Transaction } from '@svc/store/contract'
import { all, eq, gt, isNull, maybeTextIn, textIn, timestamp } from './rows.ts'
import type { Device } from './device.ts'
import { digest, newSecret } from './secret.ts'
import { refreshTokens, sessions } from './tables.ts'

/** A session that was opened or went on, with the refresh token that its holder gets now. */
export interface OpenSession {
  readonly id: string
  readonly userId: string
  readonly refreshToken: string
}

/** What sessions need to know. */
export interface SessionTerms {
  readonly env: Environment
  readonly newId: () => string
  /** How long a refresh token is good, in milliseconds. */
  readonly refreshTtlMs: number
}

/** Opens a session. */
export async function openSession(
  transaction: Transaction,
  terms: SessionTerms,
  userId: string,
  { address, userAgent }: Device,
): Promise<OpenSession> {
  const now = terms.env.now()
  const id = terms.newId()
  const expiresAt = timestamp(now + terms.refreshTtlMs)
  await transaction.append({
    table: sessions.table,
    values: {
      id,
      user_id: userId,
      created_at: timestamp(now),
      expires_at: expiresAt,
      refreshed_at: null,
      address,
      user_agent: userAgent,
    },
  })
  return { id, userId, refreshToken: await addRefreshToken(transaction, terms.env, id, expiresAt) }
}

/** A refresh token came back: its session goes on, or ends because the token was used twice, or it is no good. */
export type Rotation =
  | { readonly kind: 'rotated'; readonly session: OpenSession }
  | { readonly kind: 'reused'; readonly sessionId: string; readonly userId: string }
  | { readonly kind: 'unknown' }

/** Uses up a refresh token and gives the next one; of two uses at once, one wins. */
export async function rotateRefreshToken(
  transaction: Transaction,
  terms: SessionTerms,
  refreshToken: string,
  device: Device,
): Promise<Rotation> {
  const now = terms.env.now()
  const hash = digest(refreshToken)
  const { table, columns } = refreshTokens
  const token = await findToken(transaction, hash)
  if (token === undefined || token.expiresAt <= timestamp(now)) return { kind: 'unknown' }
  const session = await findSession(transaction, token.sessionId, true)
  if (session === undefined) return { kind: 'unknown' }
  const { count } = await transaction.update({
    table,
    set: { used_at: timestamp(now) },
    where: all(eq(columns.hash, hash), isNull(columns.used_at)),
  })
  if (count === 0) return { kind: 'reused', sessionId: session.id, userId: session.userId }
  const expiresAt = timestamp(now + terms.refreshTtlMs)
  await prolong(transaction, session.id, { expiresAt, now: timestamp(now), device })
  const next = await addRefreshToken(transaction, terms.env, session.id, expiresAt)
  return { kind: 'rotated', session: { ...session, refreshToken: next } }
}

/** The session of a refresh token, used or not. */
export async function sessionOfToken(reader: Reader, refreshToken: string) {
  const token = await findToken(reader, digest(refreshToken))
  return token && findSession(reader, token.sessionId)
}

/** A session that is in force. */
export async function findSession(
  reader: Reader,
  id: string,
  lock = false,
): Promise<{ readonly id: string; readonly userId: string } | undefined> {
  const { table, columns } = sessions
  const plan = { table, columns: [columns.user_id], where: eq(columns.id, id), order: [], lock }
  const [row] = await reader.select(plan)
  return row && { id, userId: textIn(row, columns.user_id) }
}

/** Ends one session of a user. */
export async function endSession(transaction: Transaction, userId: string, id: string): Promise<number> {
  const { table, columns } = sessions
  return transaction.remove({ table, where: all(eq(columns.id, id), eq(columns.user_id, userId)) })
}

/** Ends the sessions of a user, all but the one to keep; answers how many of them had not run out. */
export async function endSessions(
  transaction: Transaction,
  userId: string,
  now: string,
  keep?: string,
): Promise<number> {
  const { table, columns } = sessions
  const ofUser = eq(columns.user_id, userId)
  const where = keep === undefined ? ofUser : all(ofUser, { op: 'ne', column: columns.id, value: keep })
  const live = await transaction.count({ table, where: all(where, gt(columns.expires_at, now)) })
  await transaction.remove({ table, where })
  return live
}

async function addRefreshToken(
  transaction: Transaction,
  env: Environment,
  sessionId: string,
  expiresAt: string,
): Promise<string> {
  const refreshToken = newSecret(env)
  const values = { hash: digest(refreshToken), session_id: sessionId, expires_at: expiresAt, used_at: null }
  await transaction.append({ table: refreshTokens.table, values })
  return refreshToken
}

async function findToken(reader: Reader, hash: string) {
  const { table, columns } = refreshTokens
  const plan = { table, columns: table.columns, where: eq(columns.hash, hash), order: [], limit: 1 }
  const [row] = await reader.select(plan)
  return (
    row && {
      sessionId: textIn(row, columns.session_id),
      expiresAt: textIn(row, columns.expires_at),
      usedAt: maybeTextIn(row, columns.used_at),
    }
  )
}

/** The session lasts as long as its newest refresh token; tokens that ran out need no memory of their use. */
async function prolong(
  transaction: Transaction,
  id: string,
  { expiresAt, now, device }: { readonly expiresAt: string; readonly now: string; readonly device: Device },
): Promise<void> {
  const { table, columns } = sessions
  const set = {
    expires_at: expiresAt,
    refreshed_at: now,
    address: device.address,
    user_agent: device.userAgent,
  }
  await transaction.update({ table, set, where: eq(columns.id, id) })
  const expired: Condition = { op: 'lte', column: refreshTokens.columns.expires_at, value: now }
  const where = all(eq(refreshTokens.columns.session_id, id), expired)
  await transaction.remove({ table: refreshTokens.table, where })
}
