import { type Resource, VERSION, type Writes } from '@svc/domain/contract'
import type { Condition, Row, Value } from '@svc/store/contract'
import type { Setting } from '../setting.ts'
import { BY_ERASE, BY_LEFT, BY_LEFT_TOO, BY_PSEUDONYM, isLeft, place } from '../subjects/find.ts'
import type { Gathered } from '../subjects/gather.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import { lineageOf } from '../subjects/records.ts'
import { HOLDING, PSEUDONYM } from '../tables.ts'
import { type Carrying, PORTION } from './carrying.ts'
import type { PlannedChange } from './plan.ts'

/** Takes the person out of the index, but for what is left out, and remembers the pseudonym where there is one. */
export async function leaveIndex(
  { records }: Gathered,
  { setting, asked, writes, at, pseudonym, former, excluded }: Carrying,
): Promise<void> {
  await withoutOwn(asked, excluded, setting, writes)
  if (excluded.size > 0) await leaveOut(records, { setting, asked, writes, pseudonym, excluded })
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

/**
 * What is left out may lead to the person by nothing else from now on: its records come to stand under what stands for the person, by
 * which they are found, and never under an identifier.
 */
async function leaveOut(
  records: Gathered['records'],
  {
    setting,
    asked,
    writes,
    pseudonym,
    excluded,
  }: Pick<Carrying, 'setting' | 'asked' | 'writes' | 'pseudonym' | 'excluded'>,
): Promise<void> {
  const { hash: first, secret, subject } = asked
  const naming = new Set((subject?.roots ?? []).filter((one) => !isLeft(one)).map(place))
  const names =
    pseudonym === undefined
      ? [...new Set([first, ...(subject?.own ?? [])])].map((hash) => ({
          hash,
          field: hash === first ? BY_LEFT : BY_LEFT_TOO,
        }))
      : [{ hash: hashOf(pseudonym, secret), field: BY_LEFT_TOO }]
  const table = setting.tables.holdings
  for (const [resource, found] of records) {
    if (!excluded.has(resource.name)) continue
    const ids = [...found.keys()].filter(
      (recordId) => !naming.has(place({ resource: resource.name, recordId })),
    )
    for (let at = 0; at < ids.length; at += PORTION) {
      const some = ids.slice(at, at + PORTION).map((id) => found.get(id)!)
      const left = await stillLed(resource, some, setting, writes)
      const rows = left.flatMap((record) =>
        names.map(({ hash, field }) => ({ hash, resource: resource.name, record, field, past: false })),
      )
      await writes.insertRows({ table, rows, onConflict: 'ignore' })
    }
  }
}

/** The keys of those of some records that lead nowhere else by now: they are held, so that who leads them elsewhere meets their lines. */
async function stillLed(
  resource: Resource,
  rows: readonly Row[],
  { privacy }: Setting,
  writes: Writes,
): Promise<readonly string[]> {
  const { table, key } = resource
  const links = lineageOf(privacy, resource).flatMap(({ foreignKey }) => {
    const column = resource.fields.get(foreignKey)?.column
    return column ? [column] : []
  })
  const values = rows.map((row) => row[key.name]!)
  const now = await writes.select({
    table,
    columns: [key.column!, ...links],
    where: { op: 'in', column: key.column!, values },
    order: [],
    lock: 'shared',
  })
  const before = new Map(rows.map((row) => [String(row[key.name]), row]))
  return now.flatMap((row) => {
    const id = String(row[key.name])
    const isLed = links.every(({ name }) => {
      const value = row[name] ?? null
      return value === null || value === (before.get(id)?.[name] ?? null)
    })
    return isLed ? [id] : []
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

/** Records of one resource with what changes in them. */
interface ChangedRecords {
  readonly resource: Resource
  readonly changes: readonly PlannedChange[]
}

/** The index follows what records hold in place of identifiers. */
export async function renameLines(
  { resource, changes }: ChangedRecords,
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

/** Records that are gone are found no more. */
export const removeLines = (
  resource: Resource,
  records: readonly string[],
  { setting, writes }: Carrying,
): Promise<unknown> => writes.remove({ table: setting.tables.holdings, where: linesOf(resource, records) })

const linesOf = ({ name }: Pick<Resource, 'name'>, records: readonly string[]): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: HOLDING.resource, value: name },
    { op: 'in', column: HOLDING.recordId, values: records },
  ],
})
