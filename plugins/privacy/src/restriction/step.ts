import type { BelongsTo, Change, Field, Resource, Writes } from '@svc/domain/contract'
import type { Condition, Reader, Row } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { privacyErrors } from '../errors.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import type { SubjectKey } from '../subjects/key.ts'
import { RESTRICTED, type Tables } from '../tables.ts'
import { goneOf } from './gone.ts'
import { lineageOf } from '../subjects/records.ts'
import { ACCOUNT, IDENTIFIER, restrictionOf, settleRecords } from './kept.ts'
import type { Exempt } from './narrow.ts'
import { isAnyRestricted, noteChange } from './state.ts'

/** Refuses records that would come to be those of somebody who is restricted, and keeps note of those that do. */
export interface RestrictionStep {
  readonly resources: ReadonlySet<Resource>
  concerns(change: Change): boolean
  /**
   * `isAlone`: the change will have to be alone in what follows from it. It is from the start then, and where it has met somebody who is
   * restricted: two that become so later would wait for each other.
   */
  check(change: Change, writes: Writes, isAlone: boolean): Promise<void>
  /** Answers under what the restrictions stand that the change has met. */
  keep(change: Change, writes: Writes): Promise<ReadonlySet<string>>
}

interface Around {
  readonly privacy: Privacy
  readonly tables: Tables
  readonly key: SubjectKey
  readonly exempt: Exempt
  readonly newId: () => string
}

/** By what a record may belong to somebody. */
interface Ways {
  readonly identifying: readonly Field[]
  readonly links: readonly BelongsTo[]
}

/** A row of somebody who is restricted: an identifier, an account, or a record. */
interface Place {
  readonly resource: string
  readonly recordId: string
}
type Hit = Place & { readonly subjectHash: string }

export function createRestrictionStep(resources: ReadonlySet<Resource>, around: Around): RestrictionStep {
  const { privacy, tables, key, exempt, newId } = around
  const ways = new Map([...resources].map((one) => [one, waysOf(one, privacy)]))
  /** Whether somebody was restricted when it was asked last. */
  let wasAny = false
  const askAny = async (writes: Writes, isAlone = false): Promise<boolean> =>
    (wasAny = await isAnyRestricted(tables, writes, isAlone))
  /** What a change has met before its row was written. */
  const met = new WeakMap<Change, readonly Hit[]>()
  /** Of new records, whether anybody is restricted: it is asked before the row is written, and heard together with that. */
  const asked = new WeakMap<Change, Promise<boolean>>()

  const changes = ({ resource, values, previous }: Change): boolean => {
    const { identifying, links } = ways.get(resource)!
    return [...identifying.map(({ name }) => name), ...links.map(({ foreignKey }) => foreignKey)].some(
      (name) => Object.hasOwn(values, name) && (values[name] ?? null) !== (previous?.[name] ?? null),
    )
  }

  const lookUp = async (change: Change, writes: Writes, isAny = askAny(writes)): Promise<readonly Hit[]> =>
    (await isAny) ? hitsFor(change, writes) : []

  const hitsFor = async (change: Change, writes: Writes): Promise<readonly Hit[]> => {
    const { resource, previous } = change
    const secret = await key.inside(writes)
    const states = change.kind === 'delete' ? [] : [change.next(), ...(previous ? [previous] : [])]
    const places = states.flatMap((record) => placesOf(record, ways.get(resource)!, secret))
    const own = previous && { resource: resource.name, recordId: String(previous[resource.key.name]) }
    return hitsOf([...places, ...(own ? [own] : [])], tables, writes)
  }

  /** Throws where a record would come to be that of somebody who is restricted. */
  const judge = async (change: Change, hits: readonly Hit[], writes: Writes): Promise<void> => {
    met.set(change, hits)
    if (hits.length === 0 || change.kind === 'delete' || exempt.has(change.caller)) return
    const { resource, previous, origin } = change
    const isByItself = origin !== undefined
    const operation = previous === undefined ? 'create' : 'update'
    const secret = await key.inside(writes)
    for (const hash of ownersOf(change.next(), ways.get(resource)!, hits, secret, privacy)) {
      const restriction = await restrictionOf(hash, tables, writes)
      if (restriction?.operations.has(operation)) throw privacyErrors.RESTRICTED()
      // It would come to be the person's by what runs by itself, which passes over what is the person's.
      if (isByItself && restriction?.operations.has('automate')) throw privacyErrors.RESTRICTED()
    }
  }

  return {
    resources,
    concerns: (change) =>
      resources.has(change.resource) &&
      (change.kind === 'delete' ? !change.resource.features.softDelete : changes(change)),
    async check(change, writes, isAlone) {
      const mustBeAlone = isAlone || (wasAny && (await hitsFor(change, writes)).length > 0)
      if (change.kind !== 'create')
        return judge(change, await lookUp(change, writes, askAny(writes, mustBeAlone)), writes)
      const isAny = askAny(writes, mustBeAlone)
      isAny.catch(() => undefined)
      asked.set(change, isAny)
    },
    async keep(change, writes) {
      const isAny = asked.get(change)
      asked.delete(change)
      if (isAny !== undefined) await judge(change, await lookUp(change, writes, isAny), writes)
      const hits = met.get(change) ?? (await lookUp(change, writes))
      const hashes = new Set(hits.map(({ subjectHash }) => subjectHash))
      if (hits.length === 0) return hashes
      const { resource, record, previous } = change
      const secret = await key.inside(writes)
      if (record === undefined) {
        const own = { resource: resource.name, recordId: String(change.key) }
        for (const hit of hits)
          if (hit.resource === own.resource && hit.recordId === own.recordId)
            await writes.insert({
              table: tables.restricted,
              values: { subject_hash: hit.subjectHash, resource: goneOf(own.resource), record: own.recordId },
              onConflict: 'ignore',
            })
        await writes.remove({ table: tables.restricted, where: isAt(own) })
        await noteChange(newId(), tables, writes)
        return hashes
      }
      const { identifying } = ways.get(resource)!
      const isNaming = identifying.some(({ name }) => (record[name] ?? null) !== null)
      if (previous === undefined && !isNaming) {
        // Nothing leads to a new record yet.
        const recordId = String(record[resource.key.name])
        for (const hash of ownersOf(record, ways.get(resource)!, hits, secret, privacy)) {
          const values = { subject_hash: hash, resource: resource.name, record: recordId }
          await writes.insert({ table: tables.restricted, values, onConflict: 'ignore' })
        }
        await noteChange(newId(), tables, writes)
        return hashes
      }
      for (const hash of hashes)
        await settleRecords(hash, { mark: newId() }, { privacy, tables, secret, reader: writes })
      return hashes
    },
  }
}

const waysOf = (resource: Resource, privacy: Privacy): Ways => ({
  identifying: privacy.personal.flatMap((one) =>
    one.identifies && one.resource === resource ? [one.field] : [],
  ),
  links: lineageOf(privacy, resource),
})

/** Where it is looked for whose a record is. */
const placesOf = (record: Row, { identifying, links }: Ways, secret: Uint8Array): readonly Place[] => [
  ...identifying.flatMap((field): readonly Place[] => {
    const value = record[field.name] ?? null
    return value === null ? [] : [{ resource: IDENTIFIER, recordId: hashOf(canonical(field, value), secret) }]
  }),
  ...links.flatMap(({ foreignKey, target }): readonly Place[] => {
    const value = record[foreignKey] ?? null
    const resource = target.kind === 'resource' ? target.name : ACCOUNT
    return value === null ? [] : [{ resource, recordId: String(value) }]
  }),
]

const isAt = ({ resource, recordId }: Place): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: RESTRICTED.resource, value: resource },
    { op: 'eq', column: RESTRICTED.recordId, value: recordId },
  ],
})

async function hitsOf(
  places: readonly Place[],
  { restricted }: Tables,
  reader: Reader,
): Promise<readonly Hit[]> {
  if (places.length === 0) return []
  const rows = await reader.select({
    table: restricted,
    columns: restricted.columns,
    where: { op: 'or', of: places.map(isAt) },
    order: [],
  })
  return rows.map((row) => ({
    subjectHash: String(row[RESTRICTED.subjectHash.name]),
    resource: String(row[RESTRICTED.resource.name]),
    recordId: String(row[RESTRICTED.recordId.name]),
  }))
}

/**
 * Whose a record is of those who were met: of whoever is named by what it holds, unless it holds the first identifier of
 * somebody else; where it names nobody, of those whose records it leads to.
 */
function ownersOf(
  record: Row,
  ways: Ways,
  hits: readonly Hit[],
  secret: Uint8Array,
  { primary }: Privacy,
): ReadonlySet<string> {
  const named = placesOf(record, { ...ways, links: [] }, secret)
  const asked = named.length > 0 ? named : placesOf(record, ways, secret)
  const isMet = (places: readonly Place[], hash: string) =>
    hits.some(
      (hit) =>
        hit.subjectHash === hash &&
        places.some(({ resource, recordId }) => hit.resource === resource && hit.recordId === recordId),
    )
  const first = placesOf(
    record,
    { identifying: ways.identifying.filter(({ name }) => name === primary), links: [] },
    secret,
  )
  const all = new Set(hits.map(({ subjectHash }) => subjectHash))
  return new Set([...all].filter((hash) => isMet(asked, hash) && (first.length === 0 || isMet(first, hash))))
}
