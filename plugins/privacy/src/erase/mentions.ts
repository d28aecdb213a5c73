import type { Data, ErasedRecord, Mentions, Resource } from '@svc/domain/contract'
import type { Reader, Row, Value } from '@svc/store/contract'
import { keptBeside } from '../subjects/beside.ts'
import type { PersonalField } from '../compile/personal.ts'
import type { Privacy } from '../compile/privacy.ts'
import { place, PORTION } from '../subjects/find.ts'
import type { Gathered } from '../subjects/gather.ts'
import { everythingOf, type Forgotten } from './made.ts'
import type { Plan } from './plan.ts'

/** A shorter text is nobody's mark. */
const SHORTEST = 3
/** From this length on an identifying value is a person's own, and any other from the second one on. */
const OWN_IDENTIFIER = 5
const OWN_VALUE = 8

/** Days and hours are everybody's. */
const TIMES: ReadonlySet<string> = new Set(['date', 'time', 'datetime', 'boolean'])

interface Considered {
  readonly plan: Plan
  readonly gathered: Gathered
  readonly untouched: readonly Forgotten[]
}

/** What is kept of records as values, and not as texts made of them. */
const VALUES = ['audit', 'versions'] as const

type Found = Map<PersonalField, Set<string>>

/** What texts and answers elsewhere are to forget, once an erase has done what is planned. */
export async function mentionsOf(
  { plan, gathered, untouched }: Considered,
  privacy: Privacy,
  data: Data,
  reader: Reader,
): Promise<Mentions> {
  const personal = (resource: Resource) => privacy.personalOf(resource)
  const found: Found = new Map()
  const records: ErasedRecord[] = []
  const gone = new Map<Resource, Map<string, Row>>()
  for (const { resource, row, action, values, erased } of plan.changes) {
    if (action === 'nullify') continue
    const key = row[resource.key.name]!
    records.push({ resource, key, fields: erased })
    for (const one of personal(resource))
      if (action === 'delete' || Object.hasOwn(values, one.field.name))
        note(found, one, row[one.field.name] ?? null)
    add(gone, resource, row)
  }
  for (const [resource, ids] of gathered.past)
    for (const key of ids) records.push({ resource, key, fields: everythingOf(resource, privacy) })
  const forgotten = untouched.filter(({ erased }) => erased.size > 0)
  if (records.length === 0 && forgotten.length === 0) return { records, values: [], doubtful: [] }
  for (const { resource, row, erased } of untouched)
    records.push({ resource, key: row[resource.key.name]!, fields: erased })
  for (const { resource, row } of forgotten) add(gone, resource, row)
  const fields = new Map(records.map((one) => [at(one.resource, one.key), one.fields]))
  for await (const { resource, row } of keptBeside(VALUES, gone, gathered.past, { data, reader })) {
    // Of what is held or stays for another reason others may tell as ledgers do.
    const erased = fields.get(at(resource, row['recordId']))
    const own = personal(resource).filter((one) => one.identifies || erased?.has(one.field.name) === true)
    noteIn(found, own, row['changes'] ?? row['data'] ?? null)
  }
  return { records, ...(await judged(found, gone, reader)) }
}

const at = ({ name }: Resource, key: Value | undefined): string =>
  place({ resource: name, recordId: String(key) })

const add = (all: Map<Resource, Map<string, Row>>, resource: Resource, row: Row): void =>
  void all.set(
    resource,
    (all.get(resource) ?? new Map<string, Row>()).set(String(row[resource.key.name]), row),
  )

/** What ledgers have of fields, by their names. */
function noteIn(found: Found, fields: readonly PersonalField[], kept: Value): void {
  if (typeof kept !== 'object' || kept === null || Array.isArray(kept)) return
  for (const one of fields) note(found, one, (kept as Row)[one.field.keptAs] ?? null)
}

function note(found: Found, field: PersonalField, value: Value): void {
  const { enumeration, column } = field.field
  if (enumeration !== undefined || TIMES.has(column?.kind ?? '')) return
  if (typeof value === 'string') {
    if (value.trim().length >= SHORTEST)
      found.set(field, (found.get(field) ?? new Set<string>()).add(value.trim()))
  } else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) note(found, field, one)
}

/** Which values are the person's alone, and which may be meant of somebody else. */
async function judged(
  found: Found,
  gone: ReadonlyMap<Resource, ReadonlyMap<string, Row>>,
  reader: Reader,
): Promise<Pick<Mentions, 'values' | 'doubtful'>> {
  const values = new Set<string>()
  const doubtful = new Set<string>()
  for (const [field, texts] of found) {
    const others = field.identifies ? new Set<string>() : await heldByOthers(field, [...texts], gone, reader)
    for (const text of texts) (isOwn(field, text) && !others.has(text) ? values : doubtful).add(text)
  }
  return { values: [...values], doubtful: [...doubtful].filter((one) => !values.has(one)) }
}

/** A word is as much others'; an address, a number of a telephone or a name of two words is not. */
const isOwn = ({ identifies }: PersonalField, text: string): boolean =>
  identifies ? text.length >= OWN_IDENTIFIER : text.length >= OWN_VALUE && !/^\p{L}+$/u.test(text)

/** The values that other records hold in the same field: however many hold one, a line of the answer stands for them. */
async function heldByOthers(
  { resource, field }: PersonalField,
  texts: readonly string[],
  gone: ReadonlyMap<Resource, ReadonlyMap<string, Row>>,
  reader: Reader,
): Promise<ReadonlySet<string>> {
  const held = new Set<string>()
  const { column } = field
  if (column === undefined || column.kind !== 'text' || column.codec !== undefined) return held
  const own = new Map<Value, number>()
  for (const row of gone.get(resource)?.values() ?? []) {
    const value = row[column.name] ?? null
    own.set(value, (own.get(value) ?? 0) + 1)
  }
  for (let at = 0; at < texts.length; at += PORTION) {
    const groups = await reader.aggregate({
      table: resource.table,
      where: { op: 'in', column, values: texts.slice(at, at + PORTION) },
      by: { value: { op: 'column', column } },
      measures: { records: { fn: 'count' } },
    })
    for (const { value = null, records } of groups)
      if (Number(records) > (own.get(value) ?? 0)) held.add(String(value))
  }
  return held
}
