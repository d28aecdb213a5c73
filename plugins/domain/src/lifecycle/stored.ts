import type { Format } from '../definition/read.ts'
import type { StoredDomain, StoredVersion } from '../migrate/journal.ts'
import { isMeant, sealed } from './meaning.ts'
import { type ReadModel, snapshotOf } from './read-model.ts'

/** How a definition reached the server. */
export interface Written {
  readonly text: string
  readonly format: Format
  readonly origin: StoredDomain['origin']
  /** The checksum of a configured file; absent for what comes from elsewhere. */
  readonly fileChecksum?: StoredDomain['fileChecksum']
}

/** What is kept of a definition that comes into force at `now`, in milliseconds since 1970. */
export function storedOf(
  { model, loaded, reads }: ReadModel,
  { text, format, origin, fileChecksum }: Written,
  current: StoredDomain | undefined,
  now: number,
): StoredDomain {
  return {
    name: model.name,
    version: model.version,
    checksum: model.checksum,
    meaning: current && isMeant(loaded.meaning, current.meaning) ? current.meaning : sealed(loaded.meaning),
    origin,
    resolved: JSON.stringify(loaded.resolved),
    snapshot: snapshotOf(loaded, reads),
    format,
    source: text,
    fileChecksum: fileChecksum ?? current?.fileChecksum ?? null,
    ...stamp(current, now),
  }
}

/** Counts and dates a change. */
export function stamp(
  current: StoredDomain | undefined,
  now: number,
): Pick<StoredDomain, 'revision' | 'createdAt' | 'updatedAt'> {
  const updatedAt = new Date(now).toISOString()
  return { revision: (current?.revision ?? 0) + 1, createdAt: current?.createdAt ?? updatedAt, updatedAt }
}

/** Whether there is nothing to change: neither the meaning nor the text, nor what is known of the file. */
export const isSame = (a: StoredDomain, b: StoredDomain): boolean =>
  a.checksum === b.checksum &&
  a.meaning === b.meaning &&
  a.source === b.source &&
  a.fileChecksum === b.fileChecksum

/** Whether a definition that was read again says and means what is stored. */
export const isAsStored = ({ model, loaded }: ReadModel, { checksum, meaning }: StoredVersion): boolean =>
  model.checksum === checksum && isMeant(loaded.meaning, meaning)
