import type { Change, PassedOver, PassOver, Resource, Writes } from '@svc/domain/contract'
import type { Reader, Row } from '@svc/store/contract'
import type { Purpose } from '../compile/consent.ts'
import type { Privacy } from '../compile/privacy.ts'
import { rankOf } from '../compile/names.ts'
import { privacyErrors } from '../errors.ts'
import { BY_LEFT_TOO, type Finding, holdingsOfRecords } from '../subjects/find.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import type { SubjectKey } from '../subjects/key.ts'
import { lineageOf } from '../subjects/records.ts'
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
      const hash = await ownerOf(change.resource, change.next(), finding)
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
      const owners = new Map<Row, string>()
      for (const record of records) {
        const hash = await ownerOf(resource, record, finding)
        if (hash !== undefined) owners.set(record, hash)
      }
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

/** What stands for the person whose a record is: by its own values, or by those of the record that it leads to. */
async function ownerOf(
  resource: Resource,
  record: Row,
  finding: Finding,
  hops = 0,
): Promise<string | undefined> {
  const { privacy, secret, reader } = finding
  const own = privacy.personalOf(resource).filter(({ identifies }) => identifies)
  const rank = rankOf(privacy)
  const inOrder = own.toSorted((a, b) => rank.of(a.field.name) - rank.of(b.field.name))
  for (const { field } of inOrder) {
    const value = record[field.name] ?? null
    if (value !== null) return hashOf(canonical(field, value), secret)
  }
  if (hops >= MAX_HOPS) return undefined
  for (const { foreignKey, target } of lineageOf(privacy, resource)) {
    const to = target.kind === 'resource' ? privacy.model.resources.get(target.name) : undefined
    const id = record[foreignKey] ?? null
    if (to === undefined || id === null) continue
    const [line] = (await holdingsOfRecords(to, [String(id)], finding))
      .filter(({ isPast, field }) => !isPast && field !== BY_LEFT_TOO)
      .toSorted((a, b) => rank.of(a.field) - rank.of(b.field))
    if (line !== undefined) return line.hash
    const next = await rowOf(to, id, reader)
    const found = next && (await ownerOf(to, next, finding, hops + 1))
    if (found !== undefined) return found
  }
  return undefined
}

async function rowOf(
  resource: Resource,
  id: Exclude<Row[string], null>,
  reader: Reader,
): Promise<Row | undefined> {
  const [row] = await reader.select({
    table: resource.table,
    columns: resource.columns,
    where: { op: 'eq', column: resource.key.column!, value: id },
    order: [],
    limit: 1,
  })
  return row
}
