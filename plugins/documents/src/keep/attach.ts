import type { Resource, Writes } from '@svc/domain/contract'
import { fileNameOf } from '@svc/files/contract'
import { errors, SYSTEM } from '@svc/kernel'
import type { Ready } from '@svc/media/contract'
import { FORMAT_FACTS } from '@svc/render/contract'
import type { Condition, Row, Value } from '@svc/store/contract'
import type { Attached } from '../compile/attached.ts'
import type { MadeFile } from '../generate/make.ts'
import type { Request } from '../generate/gather.ts'
import type { Means } from '../means.ts'

/** A file that is about to become an item of media and a value of its record. */
export interface Attaching {
  /** Makes it one and writes its id into the record, as the system: what refuses that refuses all of the transaction. */
  attach(writes: Writes): Promise<void>
  discard(): Promise<void>
}

/** Keeps the bytes of a document as those of an item; undefined where its template attaches nothing. Throws what rejects it. */
export async function attachingOf(
  { template, record, asker, data }: Request,
  { bytes, filename }: MadeFile,
  { media }: Pick<Means, 'media'>,
): Promise<Attaching | undefined> {
  const {
    attached,
    format,
    data: { resource },
  } = template
  if (attached === undefined || resource === undefined || record === undefined) return undefined
  const ready = await media.put(data.model.name, {
    filename: fileNameOf(filename) ?? `${template.name}${FORMAT_FACTS[format].extension}`,
    mimeType: FORMAT_FACTS[format].mediaType,
    bytes: once(bytes),
    createdBy: asker.caller.id,
  })
  if (ready.rejected !== undefined) throw ready.rejected
  const key = record[resource.key.name] as Exclude<Value, null>
  return {
    async attach(writes) {
      await ready.enter(writes, { caller: asker.caller, requestId: asker.requestId ?? '' })
      await enterInto(resource, key, attached, ready, writes)
    },
    discard: () => ready.discard(),
  }
}

async function enterInto(
  resource: Resource,
  key: Exclude<Value, null>,
  { field, isList }: Attached,
  { item }: Ready,
  writes: Writes,
): Promise<void> {
  const before = isList ? await listIn(resource, key, field.name, writes) : []
  const value: Value = isList ? [...before, item.id] : item.id
  await writes.record({ kind: 'update', resource, key, values: { [field.name]: value }, as: SYSTEM })
}

/** The items that a record holds, held against other writers. Throws NOT_FOUND. */
async function listIn(
  resource: Resource,
  key: Exclude<Value, null>,
  name: string,
  writes: Writes,
): Promise<readonly Value[]> {
  const {
    key: { column },
    fields,
    table,
  } = resource
  const held = fields.get(name)?.column
  const where: Condition = { op: 'eq', column: column!, value: key }
  const [row]: readonly Row[] = await writes.select({
    table,
    columns: held ? [held] : [],
    where,
    order: [],
    lock: true,
  })
  if (row === undefined) throw errors.NOT_FOUND({ message: `There is no such ${resource.name} any more` })
  const value = row[name] ?? null
  return Array.isArray(value) ? value : []
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
