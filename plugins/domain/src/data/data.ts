import { Access } from '../access/access.ts'
import type { Columns } from '../contract/columns.ts'
import type { Asker, Data, Followed } from '../contract/data.ts'
import type { Touched } from '../crossing/touched.ts'
import type { Mentioning } from '../contract/mentions.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { listRows } from '../operations/list-rows.ts'
import { openWays } from '../reach/open.ts'
import type { Runtime } from '../runtime.ts'
import { keptAnswers } from './kept-answers.ts'
import type { Writer } from '../write/writer.ts'
import { aggregateRecords } from './aggregate.ts'
import { eraseKept, keptOf, redactKept, removeRecords, storeValues } from './erase.ts'
import { forgetIn } from './forget.ts'
import { findRecord, getRecord } from './find.ts'
import { listable } from './listable.ts'
import { readRecords, streamRecords } from './read.ts'
import { writeRecords } from './write.ts'

/** Where texts and answers are kept that may speak of any record of a model. */
export const mentioningOf = (model: Model, runtime: Runtime): readonly Mentioning[] => [
  keptAnswers(model),
  ...model.parts.flatMap(({ part }) => part.mentions ?? []),
  ...runtime.mentioning(model),
]

/** Makes the door through which blocks reach the records of a model. */
export function createData(model: Model, runtime: Runtime, writer: Writer, columns: Columns): Data {
  const { store, env } = runtime
  const mentioning = mentioningOf(model, runtime)
  const accessOf = (resource: Resource, { caller }: Pick<Asker, 'caller'>) =>
    Access.of(resource, caller, env.now)
  return {
    model,
    columns,
    reader: store,
    access: (resource, caller) => accessOf(resource, { caller }),
    read: async (resource, asked, asker) =>
      readRecords({ model, runtime }, accessOf(resource, asker), asked, asker),
    stream: (resource, asked, asker, size) =>
      streamRecords(runtime, accessOf(resource, asker), asked, asker, size),
    get: async (resource, key, asker, operation = 'get', done = []) =>
      getRecord(runtime, accessOf(resource, asker), key, operation, done),
    mayList: async (resource, records, asker) => listable(accessOf(resource, asker), records, store),
    find: (resource, key, asker) => findRecord(runtime, accessOf(resource, asker), key),
    aggregate: async (resource, asked, asker) =>
      aggregateRecords(runtime, accessOf(resource, asker), asked, asker),
    opens: (resource, reads, caller, also = []) => openWays(reads, accessOf(resource, { caller }), { also }),
    keeps: (resource) => keptOf(resource, model),
    erase: (resource, keys, writes) => eraseKept(resource, keys, model, writes),
    redact: (erasure, retained, writes) => redactKept(erasure, retained, model, writes),
    mentioning,
    forget: forgetIn(model, mentioning),
    async store(resource, changes, writes) {
      const stored = await storeValues(resource, changes, writes, env.now)
      if (!writer.follows(resource)) return { records: stored, followed: [] }
      const altered = stored.map((after, at) => ({ resource, before: changes[at]!.record, after }))
      const touched = await writer.followQuietly(altered, writes, env.now)
      return { records: stored, followed: touched.map(followedBy) }
    },
    async remove(resource, keys, writes) {
      const gone = await removeRecords(resource, keys, model, writes, writer.follows(resource))
      const altered = gone.map((before) => ({ resource, before, after: undefined }))
      return (await writer.followQuietly(altered, writes, env.now)).map(followedBy)
    },
    list: (table, asked, asker) => listRows(table, asked, asker, store),
    write: (asker, work, options) => writeRecords({ model, runtime, writer }, asker, work, options),
  }
}

const followedBy = ({ resource, key, row, changed }: Touched): Followed => ({
  resource,
  key,
  values: Object.fromEntries([...changed].map((name) => [name, row[name] ?? null])),
})
