import { setImmediate as aside } from 'node:timers/promises'
import type { Data } from '@svc/domain/contract'
import { BEGINNING, isAfter } from '@svc/events/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition, Row, Transaction } from '@svc/store/contract'
import { type Ear, isAwaited, placeOfRow } from './candidates.ts'
import { askingOrder, note, type WaitJobs } from './find.ts'
import { ASKING, WAIT } from './tables.ts'

/** How many rests are asked in one transaction. */
const PAGE = 25

/** Asks all who hear by ears that many hear by, one event after the other and a page at a time. */
export async function askMany(ear: Ear, jobs: WaitJobs, data: Data, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await data.write({ caller: SYSTEM }, (writes) => askPage(ear, jobs, writes))))
    await aside()
}

/** Asks the next ones; false where nobody is left. */
async function askPage(ear: Ear, jobs: WaitJobs, transaction: Transaction): Promise<boolean> {
  const { asking, waits } = ear.tables
  const [row] = await transaction.select({
    table: asking,
    columns: asking.columns,
    where: { op: 'always' },
    order: askingOrder,
    limit: 1,
    lock: true,
  })
  if (row === undefined) return false
  const place = placeOfRow(row)
  const [event] = await ear.ledger.read(transaction, { after: BEGINNING, at: [place] })
  const next = await transaction.select({
    table: waits,
    columns: [WAIT.line, WAIT.turn],
    where: restingBy(row),
    order: [{ column: WAIT.line, descending: false }],
    limit: PAGE,
  })
  for (const wait of event === undefined ? [] : next) {
    const [line, turn] = [String(wait['line']), Number(wait['turn'])]
    const resting = await ear.lines.resting(transaction, line, turn)
    if (event === undefined || resting === undefined) continue
    if (!(await isAwaited(event, resting, transaction))) continue
    await note(ear, event, [wait], transaction)
    await jobs.hear.put(transaction, { domain: ear.model.name, line, turn })
  }
  const own = identity(row)
  const last = next.at(-1)
  if (last === undefined || next.length < PAGE) await transaction.remove({ table: asking, where: own })
  else await transaction.update({ table: asking, set: { after: String(last['line']) }, where: own })
  return true
}

function restingBy(row: Row): Condition {
  const place = placeOfRow(row)
  const of: Condition[] = [
    { op: 'eq', column: WAIT.ear, value: String(row['ear']) },
    { op: 'not', of: isAfter({ ...place, number: place.number - 1 }, WAIT) },
  ]
  const { after } = row
  if (typeof after === 'string') of.push({ op: 'gt', column: WAIT.line, value: after })
  return { op: 'and', of }
}

const identity = (row: Row): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: ASKING.batch, value: Number(row['batch']) },
    { op: 'eq', column: ASKING.number, value: Number(row['number']) },
    { op: 'eq', column: ASKING.ear, value: String(row['ear']) },
  ],
})
