import type { Change, Former, Model, Resource } from '@svc/domain/contract'
import {
  column,
  type Column,
  type Condition,
  type Reader,
  type Row,
  type Table,
  type Transaction,
  type Value,
} from '@svc/store/contract'
import { ID, ledgerName, recordIdOf } from '../ledger.ts'
import { renamed } from '../readable.ts'
import { type Defined, mapValues, renameValues, resealing, sealingOf } from '../sealed.ts'

/** Where the earlier versions of a resource's records are kept. */
export interface VersionLedger {
  readonly resource: Resource
  readonly model: Model
  readonly table: Table
  readonly recordId: Column
  /** Copies the record as it was before the change; answers the copy's number, or undefined where there was none to copy. */
  copy(change: Change, transaction: Transaction): Promise<number | undefined>
  /** The data of one version, in the form in which it is kept. */
  find(key: Exclude<Value, null>, version: number, reader: Reader): Promise<Row | undefined>
}

export const VERSION: Column = column('version', 'integer')
export const DATA: Column = column('data', 'json')

/** Makes the version ledger of a resource. Secrets are not copied. */
export function createVersionLedger(resource: Resource, model: Model): VersionLedger {
  const recordId = recordIdOf(resource)
  const table: Table = {
    name: ledgerName(resource, 'versions'),
    columns: [ID, recordId, VERSION, DATA, column('userId', 'text', true), column('createdAt', 'datetime')],
    primaryKey: [recordId, VERSION],
    indexes: [],
    foreignKeys: [],
  }
  const names = [...resource.fields.values()]
    .filter(({ column: stored, compiled }) => stored && compiled.type.readable)
    .map(({ name, keptAs }) => [keptAs, name] as const)
  const of = (key: Exclude<Value, null>): Condition => ({ op: 'eq', column: recordId, value: key })
  return {
    resource,
    model,
    table,
    recordId,
    async copy({ kind, key, previous, at, caller, runtime }, transaction) {
      if (previous === undefined || kind === 'delete') return undefined
      const order = [{ column: VERSION, descending: true }]
      // The record is held against other writers, so nobody else takes this number.
      const plan = { table, columns: [VERSION], where: of(key!), order, limit: 1 }
      const [last] = await transaction.select(plan)
      const version = Number(last?.[VERSION.name] ?? 0) + 1
      const data = Object.fromEntries(names.map(([keptAs, name]) => [keptAs, previous[name] ?? null]))
      const kept = mapValues(data, sealingOf(key, resource, model).seal)
      const entry = {
        id: runtime.newId(),
        recordId: key!,
        version,
        data: kept,
        userId: caller.id,
        createdAt: at,
      }
      await transaction.append({ table, values: entry })
      return version
    },
    async find(key, version, reader) {
      const where: Condition = { op: 'and', of: [of(key), { op: 'eq', column: VERSION, value: version }] }
      const [found] = await reader.select({ table, columns: [DATA], where, order: [], limit: 1 })
      return found && dataOf(found)
    },
  }
}

/** The values of a version, opened. */
export function openVersion(row: Row, { resource, model }: Defined): Row {
  const names = renamed(resource)
  const { open } = sealingOf(row['recordId'], resource, model)
  return { [DATA.name]: mapValues(dataOf(row), (as, kept) => open(names.get(as) ?? as, kept, as)) }
}

/** An entry as another definition keeps it. */
export function resealVersion(row: Row, from: Former, to: Defined): Row {
  const reseal = resealing(row['recordId'], from, to)
  return { [DATA.name]: renameValues(dataOf(row), from, reseal) }
}

/** The record that an entry holds. */
export const dataOf = (entry: Row): Row => Object.fromEntries(Object.entries(entry[DATA.name] ?? {}))
