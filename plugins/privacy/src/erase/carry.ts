import {
  type Data,
  type ErasedValues,
  type Erasure,
  type Kept,
  type Resource,
  VERSION,
  type Writes,
} from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Condition, Row, Value } from '@svc/store/contract'
import type { Gathered } from '../subjects/gather.ts'
import type { Setting } from '../setting.ts'
import { BY_ERASE, BY_PSEUDONYM } from '../subjects/find.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import type { Asked } from '../subjects/who.ts'
import { HOLDING, PSEUDONYM } from '../tables.ts'
import type { PlannedChange } from './plan.ts'

/** What an erase is carried out with. */
export interface Carrying {
  readonly setting: Setting
  readonly asked: Pick<Asked, 'hash' | 'secret' | 'subject'>
  readonly call: Pick<Call, 'caller' | 'requestId'>
  readonly data: Data
  readonly writes: Writes
  readonly at: string
  readonly retained: ReadonlySet<NonNullable<Kept['told']>>
  /** The resources that are left out. */
  readonly excluded: ReadonlySet<string>
  /** Undefined of an erase of which nothing is remembered. */
  readonly pseudonym: string | undefined
  /** The one that an earlier erase has remembered the person by. */
  readonly former: string | undefined
}

/** Carries out what was planned, behind the one way in, inside the transaction of the erase: by statements for many records. */
export async function carryOut(changes: readonly PlannedChange[], carrying: Carrying): Promise<void> {
  for (const set of setsOf(changes)) await CARRIED[set.action](set, carrying)
}

/** How many records are seen to at once. */
const PORTION = 500

/** Changes of one kind to records of one resource, whose values have the same fields. */
interface ChangeSet extends Pick<PlannedChange, 'resource' | 'action'> {
  readonly changes: readonly PlannedChange[]
}

/** Changes that follow each other are seen to together, as far as none has to wait for another. */
function* setsOf(changes: readonly PlannedChange[]): Iterable<ChangeSet> {
  let alike = new Map<string, PlannedChange[]>()
  let last: PlannedChange | undefined
  for (const change of changes) {
    if (last !== undefined && (last.resource !== change.resource || last.action !== change.action)) {
      yield* portionsOf(alike.values())
      alike = new Map()
    }
    last = change
    const fields = Object.keys(change.values).toSorted().join()
    const some = alike.get(fields)
    if (some === undefined) alike.set(fields, [change])
    else some.push(change)
  }
  yield* portionsOf(alike.values())
}

function* portionsOf(sets: Iterable<readonly PlannedChange[]>): Iterable<ChangeSet> {
  for (const changes of sets) {
    const { resource, action } = changes[0]!
    const size = action === 'delete' && refersToItself(resource) ? 1 : PORTION
    for (let at = 0; at < changes.length; at += size)
      yield { resource, action, changes: changes.slice(at, at + size) }
  }
}

/** Its records go one by one, in the order of the plan: what refers to another one goes before it. */
const refersToItself = ({ name, relationships }: Resource): boolean =>
  [...relationships.values()].some(({ target }) => target.kind === 'resource' && target.name === name)

type Carry = (set: ChangeSet, carrying: Carrying) => Promise<void>

const storeValues: Carry = ({ resource, changes }, { data, writes }) =>
  data.store(
    resource,
    changes.map(({ row, values }) => ({ record: row, values })),
    writes,
  )

const replaceValues: Carry = async (set, carrying) => {
  const { resource, changes } = set
  const { data, writes, setting } = carrying
  await storeValues(set, carrying)
  const records = changes.map(({ row, values }) => ({ key: recordKey(resource, row), values }))
  await data.redact(erasureOf(resource, records, carrying), carrying.retained, writes)
  const keys = records.map(({ key }) => key)
  const fields = Object.keys(changes[0]?.values ?? {})
  const places = { resource: resource.name, keys, fields }
  await setting.media?.release(data.model.name, places, writes, carrying.call)
  await rename(set, fields, carrying)
}

const CARRIED: Readonly<Record<PlannedChange['action'], Carry>> = {
  anonymize: replaceValues,
  pseudonymize: replaceValues,
  nullify: storeValues,
  async delete({ resource, changes }, carrying) {
    const { data, writes, setting } = carrying
    const keys = changes.map(({ row }) => recordKey(resource, row))
    await data.redact(nothingLeft(resource, keys, carrying), carrying.retained, writes)
    await setting.media?.release(data.model.name, { resource: resource.name, keys }, writes, carrying.call)
    await data.remove(resource, keys, writes)
    await writes.remove({ table: setting.tables.holdings, where: linesOf(resource, keys.map(String)) })
  },
}

/** What is kept beside records that hold nothing personal may have been made of what their person's other records do. */
export async function forgetBeside(
  records: readonly { readonly resource: Resource; readonly row: Row }[],
  carrying: Carrying,
): Promise<void> {
  const byResource = new Map<Resource, ErasedValues[]>()
  for (const { resource, row } of records) {
    const known = byResource.get(resource) ?? []
    byResource.set(resource, known)
    known.push({ key: recordKey(resource, row), values: {} })
  }
  for (const [resource, some] of byResource)
    await carrying.data.redact(erasureOf(resource, some, carrying), LEDGERS, carrying.writes)
}

const LEDGERS: Carrying['retained'] = new Set(['audit', 'versions', 'history'])

/** Ledgers of records that are gone lose what they kept of the person. */
export async function forgetGone({ past }: Gathered, carrying: Carrying): Promise<void> {
  const { data, writes } = carrying
  for (const [resource, ids] of past) {
    if (carrying.excluded.has(resource.name)) continue
    const column = resource.key.column!
    const keys = ids.map((id) => (column.kind === 'integer' ? Number(id) : id))
    for (let at = 0; at < keys.length; at += PORTION) {
      const some = keys.slice(at, at + PORTION)
      await data.redact(nothingLeft(resource, some, carrying), carrying.retained, writes)
    }
  }
}

/** Takes the person out of the index, but for what is left out, and remembers the pseudonym where there is one. */
export async function leaveIndex(
  { records }: Gathered,
  { setting, asked, writes, at, pseudonym, former, excluded }: Carrying,
): Promise<void> {
  await withoutOwn(asked, excluded, setting, writes)
  const table = setting.tables.pseudonyms
  const isOf = (value: string): Condition => ({ op: 'eq', column: PSEUDONYM.pseudonym, value })
  if (pseudonym === undefined) {
    // What is whole needs no note of what it has done, and nothing remembers who it was.
    if (excluded.size > 0) return
    await withoutMarks(records, setting, writes)
    if (former !== undefined) await writes.remove({ table, where: isOf(former) })
    return
  }
  await writes.update({ table, set: { last_used_at: at }, where: isOf(pseudonym) })
  const own = asked.subject?.own ?? []
  for (const hash of new Set([asked.hash, ...own, hashOf(pseudonym, asked.secret)]))
    await writes.insert({
      table,
      values: { subject_hash: hash, pseudonym, created_at: at, last_used_at: at },
      onConflict: 'ignore',
    })
}

/** Only lines that were found go: a record that comes beside the erase is the person's still, and has to be found. */
async function withoutOwn(
  { subject }: Carrying['asked'],
  excluded: Carrying['excluded'],
  { tables: { holdings: table } }: Setting,
  writes: Writes,
): Promise<void> {
  if (subject === undefined) return
  const records = new Map<string, Set<string>>()
  for (const { resource, recordId } of [...subject.roots, ...subject.past])
    if (!excluded.has(resource))
      records.set(resource, (records.get(resource) ?? new Set<string>()).add(recordId))
  const held: Condition = { op: 'in', column: HOLDING.hash, values: [...subject.own] }
  const stays: Condition = { op: 'eq', column: HOLDING.field, value: BY_PSEUDONYM }
  for (const [name, found] of records) {
    const ids = [...found]
    for (let at = 0; at < ids.length; at += PORTION) {
      const lines = linesOf({ name }, ids.slice(at, at + PORTION))
      await writes.remove({ table, where: { op: 'and', of: [lines, held, { op: 'not', of: stays }] } })
    }
  }
}

async function withoutMarks(
  records: Gathered['records'],
  { tables: { holdings: table } }: Setting,
  writes: Writes,
): Promise<void> {
  const marked: Condition = { op: 'in', column: HOLDING.field, values: [BY_ERASE, BY_PSEUDONYM] }
  for (const [resource, rows] of records) {
    const ids = [...rows.keys()]
    for (let at = 0; at < ids.length; at += PORTION) {
      const lines = linesOf(resource, ids.slice(at, at + PORTION))
      await writes.remove({ table, where: { op: 'and', of: [lines, marked] } })
    }
  }
}

/** The index follows what records hold in place of identifiers. */
async function rename(
  { resource, changes }: ChangeSet,
  fields: readonly string[],
  { setting, asked, writes, pseudonym, excluded }: Carrying,
): Promise<void> {
  const table = setting.tables.holdings
  const identifying = setting.privacy
    .personalOf(resource)
    .filter((one) => one.identifies && fields.includes(one.field.name))
  // What may be asked for again is to find what it has done.
  const isNoted = excluded.size > 0 || pseudonym !== undefined
  const lines = changes.flatMap(({ row, values }): readonly Row[] => {
    const record = String(row[resource.key.name])
    const line = (form: string, field: string): Row => {
      const hash = hashOf(form, asked.secret)
      return { hash, resource: resource.name, record, field, past: false }
    }
    const held = identifying.flatMap(({ field }): readonly Row[] => {
      const value: Value = values[field.name] ?? null
      return value === null ? [] : [line(canonical(field, value), field.name)]
    })
    const version = String(Number(row[VERSION.name]) + 1)
    return [
      ...held,
      ...(pseudonym === undefined ? [] : [line(pseudonym, BY_PSEUDONYM)]),
      ...(isNoted ? [{ hash: version, resource: resource.name, record, field: BY_ERASE, past: true }] : []),
    ]
  })
  if (identifying.length > 0 || isNoted) {
    const names = [...identifying.map(({ field }) => field.name), BY_ERASE]
    const named: Condition = { op: 'in', column: HOLDING.field, values: names }
    const records = changes.map(({ row }) => String(row[resource.key.name]))
    await writes.remove({ table, where: { op: 'and', of: [linesOf(resource, records), named] } })
  }
  await writes.insertRows({ table, rows: lines, onConflict: 'ignore' })
}

const linesOf = ({ name }: Pick<Resource, 'name'>, records: readonly string[]): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: HOLDING.resource, value: name },
    { op: 'in', column: HOLDING.recordId, values: records },
  ],
})

const recordKey = (resource: Resource, row: Row): string | number => {
  const key = row[resource.key.name]
  return typeof key === 'number' ? key : String(key)
}

/** Null for every personal field of records. */
function nothingLeft(resource: Resource, keys: readonly (string | number)[], carrying: Carrying): Erasure {
  const personal = carrying.setting.privacy.personalOf(resource)
  const values = Object.fromEntries(personal.map(({ field }) => [field.name, null]))
  return erasureOf(
    resource,
    keys.map((key) => ({ key, values })),
    carrying,
  )
}

const erasureOf = (
  resource: Resource,
  records: readonly ErasedValues[],
  { call, at, setting }: Carrying,
): Erasure => ({ resource, records, caller: call.caller, at, newId: setting.newId })
