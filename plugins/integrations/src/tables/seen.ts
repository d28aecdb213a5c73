import { createHash } from 'node:crypto'
import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Table, type Transaction } from '@svc/store/contract'

/** The columns of what counts once: nonces, and what messages are told by. */
export const SEEN = {
  integration: column('integration', 'text'),
  kind: column('kind', 'text'),
  /** SHA-256 in hex. */
  mark: column('mark', 'text'),
  until: column('until', 'datetime'),
} as const

/** The table of what a domain's webhooks have seen. */
export function seenTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'integrations', 'seen'])
  return Object.freeze({
    name: table,
    columns: Object.values(SEEN),
    primaryKey: [SEEN.integration, SEEN.kind, SEEN.mark],
    indexes: [{ name: boundedName([table, 'until', 'idx']), columns: [SEEN.until], unique: false }],
    foreignKeys: [],
  })
}

/** Something that counts once for a while. */
export interface Mark {
  readonly integration: string
  readonly kind: 'nonce' | 'message'
  readonly value: string
  /** For how long, in milliseconds. */
  readonly forMs: number
}

/** Takes a mark, of several at once for one alone; answers whether it was free. `now` is in milliseconds since 1970. */
export async function take(
  mark: Mark,
  now: number,
  table: Table,
  transaction: Transaction,
): Promise<boolean> {
  const { integration, kind, value, forMs } = mark
  const row = { integration, kind, mark: createHash('sha256').update(value).digest('hex') }
  const until = new Date(now + forMs).toISOString()
  if ((await transaction.insert({ table, values: { ...row, until }, onConflict: 'ignore' })) === 1)
    return true
  const { count } = await transaction.update({
    table,
    set: { until },
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: SEEN.integration, value: row.integration },
        { op: 'eq', column: SEEN.kind, value: row.kind },
        { op: 'eq', column: SEEN.mark, value: row.mark },
        { op: 'lt', column: SEEN.until, value: new Date(now).toISOString() },
      ],
    },
  })
  return count > 0
}
