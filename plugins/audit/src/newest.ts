import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Condition, Store } from '@svc/store/contract'
import { conditionOf, isWithin, type ListQuery, rangeOf } from './list-query.ts'
import { entriesOf, type Entry } from './row.ts'
import { AUDIT_TABLE, COLUMNS } from './table.ts'

/** How many rows are read first, and at most at once. */
const ROWS = { first: 50, most: 500 }
/** How many requests are looked at without a pause, about: a row may stand for hundreds. */
const REQUESTS_AT_ONCE = 5000

/** The page of requests that `query` asks for, the newest first. */
export async function newest(store: Pick<Store, 'select'>, query: ListQuery): Promise<readonly Entry[]> {
  const { limit, offset } = rangeOf(query)
  const page: Entry[] = []
  let passed = 0
  for await (const entries of inOrder(store, query)) {
    const left = Math.max(0, offset - passed)
    page.push(...entries.slice(left, left + limit - page.length))
    passed += entries.length
    if (page.length === limit) break
  }
  return page
}

/** All of them, a few at a time. Those of a row may have come before those of the rows behind it. */
async function* inOrder(
  store: Pick<Store, 'select'>,
  query: ListQuery,
): AsyncGenerator<readonly Entry[], void> {
  const condition = conditionOf(query)
  const isWanted = isWithin(query)
  let where = condition
  let size = ROWS.first
  let waiting: Entry[] = []
  for (;;) {
    const rows = await store.select({
      table: AUDIT_TABLE,
      columns: AUDIT_TABLE.columns,
      where,
      order: [
        { column: COLUMNS.timestamp, descending: true },
        { column: COLUMNS.id, descending: true },
      ],
      limit: size,
    })
    const entries = rows.map(entriesOf)
    waiting = [...waiting, ...entries.flat().filter(isWanted)].toSorted(byTime)
    const last = entries.at(-1)?.[0]
    if (last === undefined || rows.length < size) return yield waiting
    // Whatever stands in rows behind the last one came before its latest.
    const settled = waiting.filter((entry) => byTime(entry, last) <= 0)
    waiting = waiting.slice(settled.length)
    yield settled
    // SQLite answers at once, however often it is asked.
    await nextTurn()
    where = { op: 'and', of: [condition, behind(last)] }
    const perRow = entries.flat().length / rows.length
    size = Math.max(1, Math.min(ROWS.most, Math.floor(REQUESTS_AT_ONCE / perRow)))
  }
}

/** The newest first. */
const byTime = (a: Entry, b: Entry): number =>
  a.timestamp === b.timestamp ? compared(b.id, a.id) : compared(b.timestamp, a.timestamp)

const compared = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** The rows that come after one in this order; by the time first, which an index is in the order of. */
const behind = ({ timestamp, id }: Entry): Condition => ({
  op: 'and',
  of: [
    { op: 'lte', column: COLUMNS.timestamp, value: timestamp },
    {
      op: 'or',
      of: [
        { op: 'lt', column: COLUMNS.timestamp, value: timestamp },
        { op: 'lt', column: COLUMNS.id, value: id },
      ],
    },
  ],
})
