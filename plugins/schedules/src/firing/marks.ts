import { createHash } from 'node:crypto'
import type { Reader, Transaction } from '@svc/store/contract'
import type { Schedule } from '../schedule.ts'
import type { Setting } from '../setting.ts'
import { MARK } from '../tables/marks.ts'

/** What is marked: a record, empty where there is none, and what it has fired for. */
export interface Marked {
  readonly recordId: string
  readonly tag: string
}

/** Those of which no mark tells that they have had their firing, in their order. */
export async function unmarked<T extends Marked>(
  { name }: Schedule,
  due: readonly T[],
  reader: Reader,
  { tables }: Pick<Setting, 'tables'>,
): Promise<ReadonlySet<T>> {
  if (due.length === 0) return new Set()
  const marks = new Map(due.map((one) => [one, markOf(one)]))
  const rows = await reader.select({
    table: tables.marks,
    columns: [MARK.tag],
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: MARK.schedule, value: name },
        { op: 'in', column: MARK.recordId, values: [...new Set(due.map(({ recordId }) => recordId))] },
        { op: 'in', column: MARK.tag, values: [...new Set(marks.values())] },
      ],
    },
    order: [],
  })
  const known = new Set(rows.map(({ tag }) => String(tag)))
  return new Set(due.filter((one) => !known.has(marks.get(one) ?? '')))
}

/** Marks what is done, and what it supersedes. False where somebody else has marked any of it: then nothing may follow. */
export async function markAll(
  { name }: Schedule,
  verdicts: readonly (Marked & { readonly superseded: readonly Marked[] })[],
  transaction: Transaction,
  { tables }: Pick<Setting, 'tables'>,
): Promise<boolean> {
  const marked = verdicts.flatMap((verdict): readonly Marked[] => [verdict, ...verdict.superseded])
  // Texts of two tiers may say the same of a record: they share a mark.
  const marks = new Map(marked.map((one) => [markOf(one), one.recordId]))
  const rows = [...marks].map(([tag, recordId]) => ({ schedule: name, recordId, tag }))
  const count = await transaction.insertRows({ table: tables.marks, rows, onConflict: 'ignore' })
  return count === rows.length
}

/** A mark outlives what it was made of: it tells nobody what the tag said, and is as short for a long one. */
const markOf = ({ recordId, tag }: Marked): string =>
  createHash('sha256')
    .update(JSON.stringify([recordId, tag]))
    .digest('base64url')
    .slice(0, 27)
