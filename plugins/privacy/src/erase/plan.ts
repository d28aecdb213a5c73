import type { Resource } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import { isMade } from '../compile/made.ts'
import type { PersonalField } from '../compile/personal.ts'
import type { Privacy } from '../compile/privacy.ts'
import type { RetentionEntry } from '../compile/retention.ts'
import type { Method } from '../definition.ts'
import type { SubjectRecords } from '../subjects/records.ts'
import { everythingOf, type Forgotten, madeFollowing } from './made.ts'
import { isReplaced, type Masks, replaced } from './masks.ts'
import { placeOf, type Referrers } from './referrers.ts'

/** All that an erase is decided by. */
export interface PlanInput {
  readonly privacy: Privacy
  readonly method: Method
  readonly records: SubjectRecords
  /** Places of the records that hold an identifier of the person. */
  readonly roots: ReadonlySet<string>
  /** Places of the records that an earlier erase has pseudonymized. */
  readonly marked: ReadonlySet<string>
  /** Places of the records that nobody has written since an earlier erase. */
  readonly settled: ReadonlySet<string>
  readonly referrers: Referrers
  readonly excluded: ReadonlySet<string>
  readonly masks: Masks
  /** Which personal fields it is about; all unless said. */
  only?(field: PersonalField): boolean
  /** Whether an identifying value is the person's own. */
  isOwn(field: PersonalField, value: Exclude<Value, null>): boolean
  /** The holds in force on a record. */
  holdsOn(resource: Resource, row: Row): readonly RetentionEntry[]
}

/** What is done to one record; a record that loses the one that it leads to is changed by its key alone. */
export interface PlannedChange extends Forgotten {
  readonly action: 'anonymize' | 'pseudonymize' | 'delete' | 'nullify'
  readonly values: Row
}

export interface Affected {
  readonly resource: string
  readonly records: number
  readonly action: string
  readonly fields: readonly string[]
  readonly preserved: readonly string[]
  readonly excluded: boolean
}

export interface Blocker {
  readonly resource: string
  readonly recordId: string
  readonly reason: string
  readonly regulation: string | null
}

export interface Plan {
  /** In the order in which they are carried out: what refers to a record comes before it. */
  readonly changes: readonly PlannedChange[]
  /** Records of which nothing changes, and of which something may be kept all the same. */
  readonly beside: readonly Forgotten[]
  readonly affectedResources: readonly Affected[]
  readonly blockers: readonly Blocker[]
}

/** Decides what becomes of each record. It is pure: a dry run answers what the same call would do. */
export function planErase(input: PlanInput): Plan {
  const removals = removalsOf(input)
  const changes: PlannedChange[] = []
  const nullified = new Map<string, { resource: Resource; row: Row; values: Record<string, Value> }>()
  for (const { resource, row } of removals.values()) {
    for (const { resource: of, row: referring, link } of input.referrers.get(placeOf(resource, row)) ?? []) {
      const place = placeOf(of, referring)
      if (link.onDelete !== 'nullify' || removals.has(place)) continue
      const known = nullified.get(place) ?? { resource: of, row: referring, values: {} }
      known.values[link.foreignKey] = null
      nullified.set(place, known)
    }
  }
  const counts = new Map<string, number>()
  const preserved = new Map<string, Set<string>>()
  const beside: Forgotten[] = []
  for (const [resource, rows] of input.records) {
    if (input.excluded.has(resource.name)) continue
    for (const row of rows.values()) {
      const place = placeOf(resource, row)
      if (removals.has(place) || isSettled(resource, place, input)) continue
      const { values, erased } = valuesOf(resource, row, input, counts, preserved)
      if (Object.keys(values).length === 0) {
        beside.push({ resource, row, erased })
        continue
      }
      const loose = nullified.get(place)
      nullified.delete(place)
      const action = methodOf(resource, input) === 'pseudonymize' ? 'pseudonymize' : 'anonymize'
      const links = loose?.values ?? {}
      changes.push({
        resource,
        row,
        action,
        values: { ...values, ...links },
        erased: new Set([...erased, ...Object.keys(links)]),
      })
    }
  }
  const { privacy } = input
  const removed = [...removals.values()].map((one) => ({
    ...one,
    action: 'delete' as const,
    values: {},
    erased: everythingOf(one.resource, privacy),
  }))
  const withMade = madeFollowing([...changes, ...beside, ...removed], privacy)
  const all: readonly PlannedChange[] = [
    ...[...nullified.values()].map((one) => ({ ...one, action: 'nullify' as const, erased: NOTHING })),
    ...changes.map((one) => ({ ...one, erased: withMade(one) })),
    ...removed,
  ]
  return {
    changes: all,
    beside: beside.flatMap((one) => {
      const erased = withMade(one)
      return erased.size === 0 ? [] : [{ ...one, erased }]
    }),
    affectedResources: affectedBy(all, preserved, input),
    blockers: all.flatMap((change) => blockersOf(change, input)),
  }
}

const NOTHING: ReadonlySet<string> = new Set()

const methodOf = (resource: Resource, { privacy, method }: PlanInput): Method =>
  privacy.lineage.get(resource)?.erase ?? method

/** Whether a record bears a pseudonym, which stays its own: nothing but a pseudonym is put in its place then. */
const isMarked = (resource: Resource, place: string, input: PlanInput): boolean =>
  input.marked.has(place) && methodOf(resource, input) === 'pseudonymize'

/** Whether a record is as an erase has left it, by which nothing is remembered that this one would forget. */
const isSettled = (resource: Resource, place: string, input: PlanInput): boolean =>
  input.settled.has(place) && (!input.marked.has(place) || isMarked(resource, place, input))

/** The records that are removed, each after those that go along with it. */
function removalsOf(input: PlanInput): ReadonlyMap<string, { resource: Resource; row: Row }> {
  const removals = new Map<string, { resource: Resource; row: Row }>()
  const verdicts = new Map<string, boolean>()
  const isRemovable = (resource: Resource, row: Row, way: readonly string[]): boolean => {
    const place = placeOf(resource, row)
    if (way.includes(place)) return true
    const known = verdicts.get(place)
    if (known !== undefined) return known
    const verdict =
      !input.excluded.has(resource.name) &&
      (input.referrers.get(place) ?? []).every(
        ({ resource: of, row: referring, link }) =>
          link.onDelete === 'nullify' ||
          (link.onDelete === 'cascade' && isRemovable(of, referring, [...way, place])),
      )
    if (way.length === 0) verdicts.set(place, verdict)
    return verdict
  }
  const remove = (resource: Resource, row: Row): void => {
    const place = placeOf(resource, row)
    if (removals.has(place)) return
    removals.set(place, { resource, row })
    for (const { resource: of, row: referring, link } of input.referrers.get(place) ?? [])
      if (link.onDelete === 'cascade') remove(of, referring)
    // Whoever goes along is written down before.
    removals.delete(place)
    removals.set(place, { resource, row })
  }
  for (const { resource, row } of candidatesOf(input))
    if (isRemovable(resource, row, [])) remove(resource, row)
  return removals
}

/** The records that are to be removed, as far as what refers to them lets them go. */
export function candidatesOf(
  input: Pick<PlanInput, 'privacy' | 'method' | 'records' | 'roots' | 'excluded'>,
): readonly { readonly resource: Resource; readonly row: Row }[] {
  return [...input.records].flatMap(([resource, rows]) => {
    const own = input.privacy.lineage.get(resource)?.erase
    if ((own ?? input.method) !== 'delete' || input.excluded.has(resource.name)) return []
    return [...rows.values()]
      .filter((row) => own === 'delete' || input.roots.has(placeOf(resource, row)))
      .map((row) => ({ resource, row }))
  })
}

/** What stands in place of the personal values of a record, and all of its fields that are erased, which may hold none by now. */
function valuesOf(
  resource: Resource,
  row: Row,
  input: PlanInput,
  counts: Map<string, number>,
  preserved: Map<string, Set<string>>,
): { readonly values: Row; readonly erased: ReadonlySet<string> } {
  const { privacy, masks } = input
  const isBearing = isMarked(resource, placeOf(resource, row), input)
  const held = new Set(input.holdsOn(resource, row).map(({ category }) => category))
  const values: Record<string, Value> = {}
  const erased = new Set<string>()
  for (const personal of privacy.personalOf(resource)) {
    const { field, flags } = personal
    if (field.column === undefined || isMade(personal)) continue
    const value = row[field.name] ?? null
    if (input.only?.(personal) === false) continue
    if (value !== null && personal.identifies && !input.isOwn(personal, value)) continue
    const replacement = privacy.rules.of(personal)
    if (replacement.kind === 'preserve' || field.primaryKey) {
      if (value !== null)
        preserved.set(resource.name, (preserved.get(resource.name) ?? new Set()).add(field.name))
      continue
    }
    let stays = true
    if (value !== null) {
      const name = `${resource.name}.${field.name}`
      const nth = counts.get(name) ?? 0
      const planned = replaced(value, replacement, field, masks, nth)
      counts.set(name, nth + 1)
      stays = isReplaced(value, replacement, field, planned, isBearing)
      if (!stays) values[field.name] = planned
    }
    // Where a value is held, it keeps the whole from being erased; what was there before one that stays is held as well.
    if (stays && flags.classification !== undefined && held.has(flags.classification)) continue
    erased.add(field.name)
  }
  return { values, erased }
}

function affectedBy(
  changes: readonly PlannedChange[],
  preserved: ReadonlyMap<string, ReadonlySet<string>>,
  { records, excluded }: PlanInput,
): readonly Affected[] {
  const groups = new Map<string, { resource: string; action: string; records: number; fields: Set<string> }>()
  for (const { resource, action, values } of changes) {
    const at = `${resource.name}\n${action}`
    const group = groups.get(at) ?? { resource: resource.name, action, records: 0, fields: new Set<string>() }
    group.records += 1
    for (const field of Object.keys(values)) group.fields.add(field)
    groups.set(at, group)
  }
  const done = [...groups.values()].map(({ fields, ...group }) => ({
    ...group,
    fields: [...fields],
    preserved: [...(preserved.get(group.resource) ?? [])],
    excluded: false,
  }))
  const out = [...records].flatMap(([{ name }, rows]) =>
    excluded.has(name)
      ? [{ resource: name, records: rows.size, action: 'none', fields: [], preserved: [], excluded: true }]
      : [],
  )
  return [...done, ...out]
}

/** A hold keeps the fields of its category as they are, and their record where it is. */
function blockersOf({ resource, row, action, values }: PlannedChange, input: PlanInput): readonly Blocker[] {
  return input.holdsOn(resource, row).flatMap(({ category, regulation = null }) => {
    const guarded = input.privacy
      .personalOf(resource)
      .filter(({ flags }) => flags.classification === category)
    const isTouched = action === 'delete' || guarded.some(({ field }) => Object.hasOwn(values, field.name))
    if (!isTouched) return []
    return [
      {
        resource: resource.name,
        recordId: String(row[resource.key.name]),
        reason: `'${category}' is held`,
        regulation,
      },
    ]
  })
}
