import type { Resource } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import type { Setting } from '../setting.ts'
import type { Holding } from './find.ts'
import { recordsOf, type SubjectRecords } from './records.ts'
import { type Asked, findingOf } from './who.ts'

/** Everything that is about a person. */
export interface Gathered {
  readonly records: SubjectRecords
  /** Keys of records that are gone, or somebody else's by now, of which ledgers may tell. */
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
  return { records, past: pastOf(subject.past, setting) }
}

function pastOf(past: readonly Holding[], { privacy }: Setting): ReadonlyMap<Resource, readonly string[]> {
  const found = new Map<Resource, Set<string>>()
  for (const { resource: name, recordId } of past) {
    const resource = privacy.model.resources.get(name)
    if (resource === undefined) continue
    const ids = found.get(resource) ?? new Set<string>()
    found.set(resource, ids.add(recordId))
  }
  return new Map([...found].map(([resource, ids]) => [resource, [...ids]]))
}

/** Says that nobody is known by an identifier, to one who may know that. */
export const unknown = () => errors.NOT_FOUND({ message: 'Nobody is known by this identifier' })

/** How many records there are of each resource. */
export const countsOf = ({ records }: Gathered): Readonly<Record<string, number>> =>
  Object.fromEntries([...records].map(([{ name }, rows]) => [name, rows.size]))
