import { createHash } from 'node:crypto'
import type { Credentials } from '@svc/auth/contract'
import { boundedName, type Data } from '@svc/domain/contract'
import { type Environment, SYSTEM } from '@svc/kernel'
import { column, type Table } from '@svc/store/contract'

/** How long a ticket is good, in milliseconds. */
const LIFETIME_MS = 30_000

const TICKET = {
  hash: column('hash', 'text'),
  credentials: column('credentials', 'json', true),
  expiresAt: column('expiresAt', 'datetime'),
} as const

/** Where a domain keeps the tickets that nobody has used. */
export const ticketTable = (domain: string): Table =>
  Object.freeze({
    name: boundedName([domain, 'event_tickets']),
    columns: Object.values(TICKET),
    primaryKey: [TICKET.hash],
    indexes: [
      {
        name: boundedName([domain, 'event_tickets', 'expires', 'idx']),
        columns: [TICKET.expiresAt],
        unique: false,
      },
    ],
    foreignKeys: [],
  })

const digest = (ticket: string): string => createHash('sha256').update(ticket).digest('base64url')
const moment = (ms: number): string => new Date(ms).toISOString()

/** Makes a ticket that speaks once for who shows it; what has expired goes by the way. */
export async function issueTicket(
  table: Table,
  credentials: Credentials | undefined,
  data: Data,
  env: Environment,
): Promise<{ readonly ticket: string; readonly expiresAt: string }> {
  const ticket = Buffer.from(env.randomBytes(32)).toString('base64url')
  const expiresAt = moment(env.now() + LIFETIME_MS)
  await data.write({ caller: SYSTEM }, async (writes) => {
    await writes.remove({
      table,
      where: { op: 'lt', column: TICKET.expiresAt, value: moment(env.now()) },
    })
    await writes.insert({
      table,
      values: { hash: digest(ticket), credentials: credentials ?? null, expiresAt },
    })
  })
  return { ticket, expiresAt }
}

/** Uses up a ticket; of many tries at once, on whatever servers, one is answered. */
export async function useTicket(
  table: Table,
  ticket: string,
  data: Data,
  env: Environment,
): Promise<{ readonly credentials: Credentials | undefined } | undefined> {
  const where = { op: 'eq', column: TICKET.hash, value: digest(ticket) } as const
  const [row] = await data.reader.select({
    table,
    columns: Object.values(TICKET),
    where,
    order: [],
    limit: 1,
  })
  if (row === undefined) return undefined
  const count = await data.write({ caller: SYSTEM }, (writes) => writes.remove({ table, where }))
  if (count !== 1 || String(row['expiresAt']) <= moment(env.now())) return undefined
  return { credentials: (row['credentials'] ?? undefined) as Credentials | undefined }
}
