import type { Condition, Reader, Transaction } from '@svc/store/contract'
import { RESTRICTING, type Tables } from '../tables.ts'

const ONLY = 1
const IS_ONLY: Condition = { op: 'eq', column: RESTRICTING.id, value: ONLY }
/** The row of the last erase: apart from the other, which everybody who writes holds on to. */
const ERASE = 2
const IS_ERASE: Condition = { op: 'eq', column: RESTRICTING.id, value: ERASE }

/** Makes the row of what is known of all restrictions, where it is not there yet. */
export async function settleState({ restricting }: Tables, writes: Transaction): Promise<void> {
  const values = { id: ONLY, any: false, mark: '', definition: null }
  await writes.insert({ table: restricting, values, onConflict: 'ignore' })
}

/**
 * Whether anybody is restricted. Until the transaction ends nobody comes to be, for one who writes what may be a person's; as
 * `exclusive`, for one who restricts, nobody writes that meanwhile.
 */
export async function isAnyRestricted(
  { restricting }: Tables,
  writes: Transaction,
  exclusive = false,
): Promise<boolean> {
  const [row] = await writes.select({
    table: restricting,
    columns: [RESTRICTING.isAny],
    where: IS_ONLY,
    order: [],
    limit: 1,
    lock: exclusive ? true : 'shared',
  })
  return row?.[RESTRICTING.isAny.name] === true
}

/** Notes that what is restricted has changed: whoever keeps answers lets go of those with another mark. */
export async function noteChange(
  mark: string,
  { restricting, restrictions }: Tables,
  writes: Transaction,
): Promise<void> {
  const any = (await writes.count({ table: restrictions, where: { op: 'always' } })) > 0
  await writes.update({ table: restricting, set: { mark, any }, where: IS_ONLY })
}

/** The definition by which the records of those who are restricted were found last. */
export async function lastDefinition({ restricting }: Tables, reader: Reader): Promise<string | null> {
  const columns = [RESTRICTING.definition]
  const [row] = await reader.select({ table: restricting, columns, where: IS_ONLY, order: [], limit: 1 })
  const definition = row?.[RESTRICTING.definition.name] ?? null
  return definition === null ? null : String(definition)
}

/** Notes that somebody was erased: whoever keeps answers lets go of those with another mark. */
export async function noteErase(mark: string, { restricting }: Tables, writes: Transaction): Promise<void> {
  const values = { id: ERASE, any: false, mark, definition: null }
  const made = await writes.insert({ table: restricting, values, onConflict: 'ignore' })
  if (made === 0) await writes.update({ table: restricting, set: { mark }, where: IS_ERASE })
}

/** The marks of the last restriction and of the last erase: answers that were kept under others are given no more. */
export async function lastMarks({ restricting }: Tables, reader: Reader): Promise<string> {
  const rows = await reader.select({
    table: restricting,
    columns: [RESTRICTING.mark],
    where: { op: 'always' },
    order: [{ column: RESTRICTING.id, descending: false }],
  })
  return rows.map((row) => String(row[RESTRICTING.mark.name] ?? '')).join()
}

/** Notes by which definition the records of those who are restricted were found. */
export async function noteDefinition(
  checksum: string,
  { restricting }: Tables,
  writes: Transaction,
): Promise<void> {
  await writes.update({ table: restricting, set: { definition: checksum }, where: IS_ONLY })
}
