import type { Resource } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import type { Condition, Reader, Row } from '@svc/store/contract'
import type { Setting } from '../setting.ts'
import { type Holding, isLeft, PORTION } from './find.ts'
import { recordsOf, type SubjectRecords } from './records.ts'
import { type Asked, findingOf } from './who.ts'

/** Everything that is about a person. */
export interface Gathered {
  readonly records: SubjectRecords
  /** Keys of records that are gone, of which ledgers may tell. */
  readonly past: ReadonlyMap<Resource, readonly string[]>
}

/** Finds all records of whom a request is about. */
export async function gather(asked: Asked, reader: Reader, setting: Setting): Promise<Gathered> {
  const { subject, account, secret } = asked
  if (subject === undefined) {
    const nobody = { hash: asked.hash, field: null, own: new Set<string>(), roots: [], past: [] }
    const records = account
      ? await recordsOf(nobody, account.id, findingOf(reader, secret, setting))
      : new Map()
    return { records, past: new Map() }
  }
  const records = await recordsOf(subject, account?.id, findingOf(reader, secret, setting))
  // No write of a record that holds no identifier tells the index that it is gone.
  const past = [...subject.past, ...subject.roots.filter(isLeft)]
  return { records, past: await goneAmong(past, reader, setting) }
}

/** What is there still holds somebody else's values by now, and is not this person's any more. */
async function goneAmong(
  past: readonly Holding[],
  reader: Reader,
  { privacy }: Setting,
): Promise<ReadonlyMap<Resource, readonly string[]>> {
  const found = new Map<Resource, Set<string>>()
  for (const { resource: name, recordId } of past) {
    const resource = privacy.model.resources.get(name)
    if (resource === undefined) continue
    const ids = found.get(resource) ?? new Set<string>()
    found.set(resource, ids.add(recordId))
  }
  for (const [resource, ids] of found) {
    for (const row of await keysAmong(resource, [...ids], reader)) ids.delete(String(row[resource.key.name]))
    if (ids.size === 0) found.delete(resource)
  }
  return new Map([...found].map(([resource, ids]) => [resource, [...ids]]))
}

async function keysAmong(
  { table, key }: Resource,
  ids: readonly string[],
  reader: Reader,
): Promise<readonly Row[]> {
  const column = key.column!
  const keys = ids.map((id) => (column.kind === 'integer' ? Number(id) : id))
  const found: Row[] = []
  for (let at = 0; at < keys.length; at += PORTION) {
    const where: Condition = { op: 'in', column, values: keys.slice(at, at + PORTION) }
    found.push(...(await reader.select({ table, columns: [column], where, order: [] })))
  }
  return found
}

/** Says that nobody is known by an identifier, to one who may know that. */
export const unknown = () => errors.NOT_FOUND({ message: 'Nobody is known by this identifier' })

/** How many records there are of each resource. */
export const countsOf = ({ records }: Gathered): Readonly<Record<string, number>> =>
  Object.fromEntries([...records].map(([{ name }, rows]) => [name, rows.size]))
