import type { Condition, Reader, Transaction } from '@svc/store/contract'
import { RESTRICTING, type Tables } from '../tables.ts'

const ONLY = 1
const IS_ONLY: Condition = { op: 'eq', column: RESTRICTING.id, value: ONLY }

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

/** The mark of the last change, and the definition by which it was made. */
export async function lastChange(
  { restricting }: Tables,
  reader: Reader,
): Promise<{ readonly mark: string; readonly definition: string | null }> {
  const columns = [RESTRICTING.mark, RESTRICTING.definition]
  const [row] = await reader.select({ table: restricting, columns, where: IS_ONLY, order: [], limit: 1 })
  const definition = row?.[RESTRICTING.definition.name] ?? null
  return {
    mark: String(row?.[RESTRICTING.mark.name] ?? ''),
    definition: definition === null ? null : String(definition),
  }
}

/** Notes by which definition the records of those who are restricted were found. */
export async function noteDefinition(
  checksum: string,
  { restricting }: Tables,
  writes: Transaction,
): Promise<void> {
  await writes.update({ table: restricting, set: { definition: checksum }, where: IS_ONLY })
}
