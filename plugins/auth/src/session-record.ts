import type { Condition, Reader, Row } from '@svc/store/contract'
import { z } from 'zod'
import { all, eq, gt, maybeTextIn, textIn, timestamp } from './rows.ts'
import { sessions } from './tables.ts'

/** A sign-in that is in force, as its user and administrators see it. */
export const sessionRecord = z.strictObject({
  id: z.string().describe('UUID; the `sid` of its access tokens'),
  createdAt: z.string().describe('RFC 3339, UTC'),
  refreshedAt: z.string().nullable().describe('When its tokens were last refreshed'),
  expiresAt: z.string().describe('When it ends, unless it is refreshed before'),
  address: z.string().nullable().describe('From where it was last signed in or refreshed'),
  userAgent: z.string().nullable().describe('What that client said it was'),
})

export type SessionRecord = z.output<typeof sessionRecord>

const { table, columns } = sessions

/** The sessions of a user that are in force, the latest sign-in first. */
export async function listSessions(
  reader: Reader,
  userId: string,
  now: number,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly SessionRecord[]> {
  const where: Condition = all(eq(columns.user_id, userId), gt(columns.expires_at, timestamp(now)))
  const order = [{ column: columns.id, descending: true }]
  const rows = await reader.select({ table, columns: table.columns, where, order, ...page })
  return rows.map(recordOf)
}

const recordOf = (row: Row): SessionRecord => ({
  id: textIn(row, columns.id),
  createdAt: textIn(row, columns.created_at),
  refreshedAt: maybeTextIn(row, columns.refreshed_at),
  expiresAt: textIn(row, columns.expires_at),
  address: maybeTextIn(row, columns.address),
  userAgent: maybeTextIn(row, columns.user_agent),
})
