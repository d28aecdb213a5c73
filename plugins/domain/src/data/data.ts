import { Access } from '../access/access.ts'
import type { Asker, Data } from '../contract/data.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { listRows } from '../operations/list-rows.ts'
import type { Runtime } from '../runtime.ts'
import type { Writer } from '../write/writer.ts'
import { aggregateRecords } from './aggregate.ts'
import { eraseKept, keptOf } from './erase.ts'
import { findRecord, getRecord } from './find.ts'
import { readRecords, streamRecords } from './read.ts'
import { writeRecords } from './write.ts'

/** Makes the door through which blocks reach the records of a model. */
export function createData(model: Model, runtime: Runtime, writer: Writer): Data {
  const { store, env } = runtime
  const accessOf = (resource: Resource, { caller }: Pick<Asker, 'caller'>) =>
    Access.of(resource, caller, env.now)
  return {
    model,
    reader: store,
    access: (resource, caller) => accessOf(resource, { caller }),
    read: async (resource, asked, asker) =>
      readRecords({ model, runtime }, accessOf(resource, asker), asked, asker),
    stream: (resource, asked, asker, size) =>
      streamRecords(runtime, accessOf(resource, asker), asked, asker, size),
    get: async (resource, key, asker, operation = 'get') =>
      getRecord(runtime, accessOf(resource, asker), key, operation),
    find: (resource, key, asker) => findRecord(runtime, accessOf(resource, asker), key),
    aggregate: async (resource, asked, asker) =>
      aggregateRecords(runtime, accessOf(resource, asker), asked, asker),
    keeps: (resource) => keptOf(resource, model),
    erase: (resource, key, writes) => eraseKept(resource, key, model, writes),
    list: (table, asked, asker) => listRows(table, asked, asker, store),
    write: (asker, work, options) => writeRecords({ model, runtime, writer }, asker, work, options),
  }
}
