import type { Change, PassedOver, PassOver, Resource, Writes } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Purpose } from '../compile/consent.ts'
import type { Privacy } from '../compile/privacy.ts'
import { rankOf } from '../compile/names.ts'
import { privacyErrors } from '../errors.ts'
import { BY_LEFT_TOO, type Finding, holdingsOfRecords } from '../subjects/find.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import type { SubjectKey } from '../subjects/key.ts'
import { lineageOf, rowsBy } from '../subjects/records.ts'
import type { Tables } from '../tables.ts'
import { consentedAmong } from './standing.ts'

/** Refuses records of people who have not consented to what their resource is for. */
export interface ConsentStep {
  readonly resources: ReadonlySet<Resource>
  concerns(change: Change): boolean
  check(change: Change, writes: Writes): Promise<void>
  /** Records that nothing works with by itself as long as that is so. */
  readonly passesOver: PassOver
}

/** What makes or changes a record; a transition or an operation of its own does not. */
const KINDS: ReadonlySet<string> = new Set(['create', 'update', 'put', 'revert', 'restore'])

/** How many records are gone through to find whose a record is. */
const MAX_HOPS = 16

export function createConsentStep(privacy: Privacy, tables: Tables, key: SubjectKey): ConsentStep {
  const asked = askedFor(privacy)
  return {
    resources: new Set(asked.keys()),
    concerns: ({ kind, resource }) => KINDS.has(kind) && asked.has(resource),
    async check(change, writes) {
      const purposes = asked.get(change.resource)
      if (purposes === undefined) return
      const finding: Finding = { privacy, tables, secret: await key.inside(writes), reader: writes }
      const [hash] = (await ownersOf(change.resource, [change.next()], finding)).values()
      if (hash === undefined) return
      const names = purposes.map(({ purpose }) => purpose)
      const found = await consentedAmong([hash], names, { tables, names: privacy }, writes)
      if (!found.has(hash)) throw missing(purposes)
    },
    async passesOver(resource, records, reader) {
      const purposes = asked.get(resource)
      const secret = purposes && (await key.read(reader))
      if (purposes === undefined || secret === undefined) return NOBODY
      const finding: Finding = { privacy, tables, secret, reader }
      const owners = await ownersOf(resource, records, finding)
      const names = purposes.map(({ purpose }) => purpose)
      const found = await consentedAmong([...owners.values()], names, { tables, names: privacy }, reader)
      return new Map(
        [...owners].flatMap(([record, hash]) =>
          found.has(hash) ? [] : [[record[resource.key.name] ?? null, missing(purposes)] as const],
        ),
      )
    },
  }
}

const NOBODY: PassedOver = new Map()

function missing(purposes: readonly Purpose[]) {
  const names = purposes.map(({ purpose }) => `'${purpose}'`).join(' or ')
  return privacyErrors.CONSENT_REQUIRED({ message: `The person has not consented to ${names}` })
}

/** The purposes by resource, one of which has to be in force; a required one always is. */
function askedFor({ purposes }: Privacy): ReadonlyMap<Resource, readonly Purpose[]> {
  const found = new Map<Resource, Purpose[]>()
  for (const purpose of purposes.values())
    for (const resource of purpose.resources) found.set(resource, [...(found.get(resource) ?? []), purpose])
  for (const [resource, all] of found) if (all.some(({ required }) => required)) found.delete(resource)
  return found
}

/**
 * What stands for the people whose records these are: by their own values, or by those of the record that each leads to. A
 * relationship on the way costs a statement or two, however many the records.
 */
async function ownersOf(
  resource: Resource,
  records: readonly Row[],
  finding: Finding,
  hops = 0,
): Promise<ReadonlyMap<Row, string>> {
  const { privacy, secret } = finding
  const own = privacy.personalOf(resource).filter(({ identifies }) => identifies)
  const rank = rankOf(privacy)
  const inOrder = own.toSorted((a, b) => rank.of(a.field.name) - rank.of(b.field.name))
  const found = new Map<Row, string>()
  for (const record of records) {
    const first = inOrder.find(({ field }) => (record[field.name] ?? null) !== null)
    if (first !== undefined)
      found.set(record, hashOf(canonical(first.field, record[first.field.name]!), secret))
  }
  if (hops >= MAX_HOPS) return found
  for (const { foreignKey, target } of lineageOf(privacy, resource)) {
    const to = target.kind === 'resource' ? privacy.model.resources.get(target.name) : undefined
    const open = records.filter((record) => !found.has(record) && (record[foreignKey] ?? null) !== null)
    if (to === undefined || open.length === 0) continue
    const keys = new Set(open.map((record) => record[foreignKey]!))
    const owners = await ownersAt(to, [...keys], finding, hops + 1)
    for (const record of open) {
      const hash = owners.get(String(record[foreignKey]))
      if (hash !== undefined) found.set(record, hash)
    }
  }
  return found
}

/** The same of records by their keys, and for these as text: what the index has of one goes before what it holds. */
async function ownersAt(
  resource: Resource,
  keys: readonly Exclude<Value, null>[],
  finding: Finding,
  hops: number,
): Promise<ReadonlyMap<string, string>> {
  const rank = rankOf(finding.privacy)
  const lines = (await holdingsOfRecords(resource, keys.map(String), finding))
    .filter(({ isPast, field }) => !isPast && field !== BY_LEFT_TOO)
    .toSorted((a, b) => rank.of(a.field) - rank.of(b.field))
  const found = new Map<string, string>()
  for (const { recordId, hash } of lines) if (!found.has(recordId)) found.set(recordId, hash)
  const open = keys.filter((key) => !found.has(String(key)))
  const rows = await rowsBy(resource, resource.key.column!, open, finding)
  for (const [row, hash] of await ownersOf(resource, rows, finding, hops))
    found.set(String(row[resource.key.name]), hash)
  return found
}
