import { createHash } from 'node:crypto'
import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Condition, type Table, type Transaction } from '@svc/store/contract'

/** The columns of what counts once: nonces, what messages are told by, and keys of what is done once. */
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
  readonly kind: 'nonce' | 'message' | 'key'
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
  const until = new Date(now + mark.forMs).toISOString()
  const values = { ...rowOf(mark), until }
  if ((await transaction.insert({ table, values, onConflict: 'ignore' })) === 1) return true
  const isOver: Condition = { op: 'lt', column: SEEN.until, value: new Date(now).toISOString() }
  const where: Condition = { op: 'and', of: [isOf(mark), isOver] }
  return (await transaction.update({ table, set: { until }, where })).count > 0
}

/** Gives a mark back before its time. */
export const giveBack = async (mark: Mark, table: Table, transaction: Transaction): Promise<void> => {
  await transaction.remove({ table, where: isOf(mark) })
}

const rowOf = ({ integration, kind, value }: Mark) => ({
  integration,
  kind,
  mark: createHash('sha256').update(value).digest('hex'),
})

function isOf(of: Mark): Condition {
  const { integration, kind, mark } = rowOf(of)
  return {
    op: 'and',
    of: [
      { op: 'eq', column: SEEN.integration, value: integration },
      { op: 'eq', column: SEEN.kind, value: kind },
      { op: 'eq', column: SEEN.mark, value: mark },
    ],
  }
}
