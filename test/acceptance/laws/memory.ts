import type { TestAnswer } from '../../kit/request.ts'
import type { Random } from '../../kit/random.ts'
import type { ResourceShape } from './shape.ts'

/** One request as a law sends it; `caller` names whose token goes along, if any. */
export interface LawRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly caller?: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON as text; undefined for none. */
  readonly body?: string
}

/** What earlier answers have shown: without it chance would hardly ever meet a record. */
export interface Memory {
  /** Keeps the records, tags and cursors of an answer. */
  learn(request: LawRequest, resource: ResourceShape | undefined, answer: TestAnswer): void
  /** The key of a record of this resource, rather one that was met lately; undefined while there is none. */
  key(resource: string, random: Random): string | undefined
  /** The keys of all records of this resource that were met. */
  keys(resource: string): readonly string[]
  /** The key of a record that was deleted. */
  deleted(resource: string, random: Random): string | undefined
  /** A field of a record that was met. */
  value(resource: string, key: string, field: string): unknown
  /** The latest entity tag of an address. */
  tag(path: string): string | undefined
  /** The query that goes on with a list of this address. */
  next(path: string): string | undefined
}

type Records = Map<string, Readonly<Record<string, unknown>>>

const LATELY = 12

const nameOf = ({ name }: ResourceShape): string => name.toLowerCase()

/** Makes an empty memory. */
export function createMemory(): Memory {
  const met = new Map<string, Records>()
  const tags = new Map<string, string>()
  const cursors = new Map<string, string>()
  const gone = new Map<string, string[]>()

  const meet = (resource: ResourceShape, record: unknown) => {
    const { key } = resource
    if (typeof record !== 'object' || record === null || !(key in record)) return
    const name = nameOf(resource)
    const fields = record as Readonly<Record<string, unknown>>
    const records = met.get(name) ?? new Map()
    met.set(name, records)
    const id = String(fields[key])
    records.set(id, { ...records.get(id), ...fields })
  }

  const keys = (resource: string) => [...(met.get(resource.toLowerCase())?.keys() ?? [])]

  return {
    learn({ method, path, query }, resource, { status, headers, body }) {
      if (method === 'DELETE' && status === 204 && resource !== undefined)
        gone.set(nameOf(resource), [
          ...(gone.get(nameOf(resource)) ?? []),
          path.slice(path.lastIndexOf('/') + 1),
        ])
      const tag = headers.get('etag')
      if (tag !== null) tags.set(path, tag)
      if (resource === undefined || typeof body?.data !== 'object' || body.data === null) return
      const { items, nextCursor } = body.data
      for (const record of Array.isArray(items) ? items : [body.data]) meet(resource, record)
      if (typeof nextCursor !== 'string') return
      cursors.set(path, `${query.replace(/&?cursor=[^&]*/, '')}&cursor=${nextCursor}`)
    },
    key(resource, random) {
      const known = keys(resource)
      if (known.length === 0) return undefined
      return random.pick(random.chance(0.7) ? known.slice(-LATELY) : known)
    },
    keys,
    deleted(resource, random) {
      const keys = gone.get(resource.toLowerCase()) ?? []
      return keys.length === 0 ? undefined : random.pick(keys)
    },
    value: (resource, key, field) => met.get(resource.toLowerCase())?.get(key)?.[field],
    tag: (path) => tags.get(path),
    next: (path) => cursors.get(path),
  }
}
