import { createHash } from 'node:crypto'
import type { SeedRecord } from './manifest.ts'

/** The name space of seeded records: any fixed UUID serves. */
const NAME_SPACE = Buffer.from('6f0a3c1e5d2b4e8f9a7c3b1d0e6f2a48', 'hex')

/**
 * The ids of a manifest's records, the same at every run: made of domain, resource and key, or for a record
 * without a key of its content as written, so that a second run meets the first one's record.
 */
export function idsOf(records: readonly SeedRecord[]): ReadonlyMap<SeedRecord, string> {
  const twins = new Map<string, number>()
  return new Map(
    records.map((record) => {
      const { domain, resource, key, written } = record
      if (key !== undefined) return [record, keyedId(domain, resource, key)]
      const content = canonical(written)
      const twin = JSON.stringify([domain, resource, content])
      const before = twins.get(twin) ?? 0
      twins.set(twin, before + 1)
      return [record, nameId(JSON.stringify([domain, resource, content, before]))]
    }),
  )
}

/** The id of a record with a key. */
export const keyedId = (domain: string, resource: string, key: string): string =>
  nameId(JSON.stringify([domain, resource, key]))

/** A UUIDv5 (RFC 9562, section 5.5). */
function nameId(name: string): string {
  const hash = createHash('sha1').update(NAME_SPACE).update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** JSON with sorted keys: moving a field within a record makes no new record. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`
}
