import { codecOf, type Model } from '@svc/domain/contract'
import {
  column,
  type Condition,
  openValue,
  type Reader,
  type Row,
  sealValue,
  type Table,
  type Transaction,
  type Value,
} from '@svc/store/contract'

/** The columns of a document that is to come. */
export const PROMISE = {
  /** That of the document. */
  id: column('id', 'uuid'),
  domain: column('domain', 'text'),
  template: column('template', 'text'),
  resource: column('resource', 'text', true),
  recordId: column('record_id', 'text', true),
  /** The record as it was; sealed where the domain seals any of its values. */
  record: column('record', 'json', true),
  parameters: column('parameters', 'json'),
  /** What set it off. */
  trigger: column('trigger', 'text'),
  /** How deep the write was that set it off. */
  depth: column('depth', 'integer'),
  promisedAt: column('promised_at', 'datetime'),
}

/** What writes have promised and is to be generated, of all domains: a row goes with the commit of its document. */
export const promises: Table = {
  name: 'svc_document_promises',
  columns: Object.values(PROMISE),
  primaryKey: [PROMISE.id],
  indexes: [
    {
      name: 'svc_document_promises_record_idx',
      columns: [PROMISE.domain, PROMISE.resource, PROMISE.recordId],
      unique: false,
    },
  ],
  foreignKeys: [],
}

/** A document that is to come. */
export interface Promised {
  readonly id: string
  readonly template: string
  readonly resource: string | null
  readonly recordId: string | null
  /** The record by its columns, as what set it off left it; null where there is none. */
  readonly record: Row | null
  readonly parameters: Readonly<Record<string, Value>>
  readonly trigger: string
  readonly depth: number
}

/** Writes a promise down, in the transaction of what makes it. */
export async function keepPromise(
  transaction: Transaction,
  model: Model,
  promised: Promised,
  at: string,
): Promise<void> {
  const { id, template, resource, recordId, record, parameters, trigger, depth } = promised
  const values: Row = {
    id,
    domain: model.name,
    template,
    resource,
    record_id: recordId,
    record: record === null ? null : sealValue({ codec: codecOf(model) }, record),
    parameters: { ...parameters },
    trigger,
    depth,
    promised_at: at,
  }
  await transaction.insert({ table: promises, values })
}

const promiseIs = (id: string): Condition => ({ op: 'eq', column: PROMISE.id, value: id })

/** The promise of an id; undefined where it was kept, or is gone with its record. */
export async function findPromise(id: string, model: Model, reader: Reader): Promise<Promised | undefined> {
  const [row] = await reader.select({
    table: promises,
    columns: promises.columns,
    where: promiseIs(id),
    order: [],
    limit: 1,
  })
  if (row === undefined) return undefined
  const record = row['record'] ?? null
  return {
    id,
    template: String(row['template']),
    resource: textOf(row['resource']),
    recordId: textOf(row['record_id']),
    // What nobody can open any more is null, as a record that is not there.
    record: record === null ? null : (openValue({ codec: codecOf(model) }, record) as Row | null),
    parameters: (row['parameters'] ?? {}) as Promised['parameters'],
    trigger: String(row['trigger']),
    depth: Number(row['depth']),
  }
}

const textOf = (value: Value | undefined): string | null =>
  value === null || value === undefined ? null : String(value)

/** Takes a promise away; answers whether it was there. */
export const removePromise = async (id: string, transaction: Transaction): Promise<boolean> =>
  (await transaction.remove({ table: promises, where: promiseIs(id) })) > 0
