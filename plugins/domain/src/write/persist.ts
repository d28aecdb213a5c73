import type { AppError } from '@svc/kernel'
import { Increment, type Row, StoreConflict, type Transaction } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import { deriveFrom } from '../model/derived.ts'
import type { Resource } from '../model/resource.ts'
import { VERSION } from '../model/table.ts'
import { versionOf } from '../present/etag.ts'
import { finding } from '../speech/sentences.ts'
import type { Fault } from '../speech/speech.ts'
import type { Change } from './change.ts'
import { faultDetail } from './refuse.ts'
import { isAboutMadeSlug, ValueTaken } from './retry.ts'
import { rowOf } from './previous.ts'

/** How the row of a record is written. */
export interface RowWrite {
  /** The record as it is stored then; absent where it goes. */
  readonly foresee?: (change: Change) => Row
  readonly write: (change: Change, transaction: Transaction) => Promise<void>
}

/** Writes the new row. */
export const insertRow: RowWrite = {
  foresee: ({ values, runtime }) => ({ ...values, [VERSION.name]: runtime.env.now() }),
  write(change, transaction) {
    const { record, values, isLast: last } = change
    const { table, derived } = change.resource
    return refusing(change, () =>
      transaction.insert({ table, values: withDerived(record!, values, derived), last }),
    )
  },
}

/** Writes the changed columns and counts the write, though nothing should have changed. */
export const updateRow: RowWrite = {
  foresee: (change) => changedRecord(change),
  write(change, transaction) {
    const { resource, values, isLast: last } = change
    const counted = { ...values, [VERSION.name]: new Increment(1) }
    const set = withDerived(counted, values, resource.derived)
    return refusing(change, () =>
      transaction.update({ table: resource.table, set, where: rowOf(change), last }),
    )
  },
}

const changedRecord = ({ previous, values }: Change): Row => ({
  ...previous,
  ...values,
  [VERSION.name]: versionOf(previous!) + 1,
})

/** The same for records of one resource that are held, by a statement for many of them. */
export async function updateRows(changes: readonly Change[], transaction: Transaction): Promise<void> {
  const [first] = changes
  if (first === undefined) return
  const { table, key: by, derived } = first.resource
  const rows = changes.map(({ key, values }): Row => ({
    [by.name]: key!,
    ...withDerived(values, values, derived),
  }))
  const increments = { [VERSION.name]: new Increment(1) }
  await refusing(first, () => transaction.updateRows({ table, rows, increments }))
  for (const change of changes) change.record = changedRecord(change)
}

/** Takes the row away, or marks it where the resource keeps deleted records. */
export const removeRow: RowWrite = {
  write(change, transaction) {
    const { resource, at } = change
    const where = rowOf(change)
    const { table } = resource
    const set = { deletedAt: at, [VERSION.name]: new Increment(1) }
    return refusing(change, () =>
      resource.features.softDelete
        ? transaction.update({ table, set, where })
        : transaction.remove({ table, where }),
    )
  },
}

/** What is written, with what the values derive. */
const withDerived = <T extends object>(written: T, values: Row, derived: Resource['derived']): T =>
  derived.length === 0 ? written : { ...written, ...deriveFrom(values, derived) }

async function refusing(change: Change, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const refused = error instanceof StoreConflict ? refusal(error, change) : error
    throw isAboutMadeSlug(error, change) ? new ValueTaken(refused) : refused
  }
}

function refusal({ kind, columns }: StoreConflict, change: Change): AppError {
  const { resource } = change
  if (kind === 'unique') {
    // The system writes what goes along with another record, and whoever asked hears why it does not.
    const asking = change.asking()
    const fields = columns.map((name) => fieldBehind(name, resource))
    const named = fields.filter((name) => asking.readable(name))
    const message =
      named.length === 0 ? undefined : `A ${resource.name} with this ${named.join(', ')} exists already`
    const detail = faultDetail(change, named.map(duplicate))
    return domainErrors.DUPLICATE(message === undefined ? {} : { message, ...detail })
  }
  if (change.kind === 'delete')
    return domainErrors.REFERENCED({ message: `Other records refer to this ${resource.name}` })
  return domainErrors.REFERENCED({ message: `The ${resource.name} refers to a record that is gone` })
}

/** The field whose values a column holds, or what is derived from them. */
const fieldBehind = (name: string, { derived }: Resource): string =>
  derived.find(({ column }) => column.name === name)?.field ?? name

const duplicate = (field: string): Fault => ({ ...finding('unique'), field })
