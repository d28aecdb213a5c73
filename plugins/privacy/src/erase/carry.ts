import type { Data, Erasure, Kept, Resource, Writes } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Condition, Row, Value } from '@svc/store/contract'
import type { Gathered } from '../subjects/gather.ts'
import type { Setting } from '../setting.ts'
import { BY_PSEUDONYM } from '../subjects/find.ts'
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
  /** Undefined of an erase of which nothing is remembered. */
  readonly pseudonym: string | undefined
}

/** Carries out what was planned, behind the one way in, inside the transaction of the erase. */
export async function carryOut(changes: readonly PlannedChange[], carrying: Carrying): Promise<void> {
  for (let at = 0; at < changes.length;) {
    const some = sideBySide(changes, at)
    const ended = await Promise.allSettled(some.map((change) => CARRIED[change.action](change, carrying)))
    const failed = ended.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    at += some.length
  }
}

/** How many records are seen to at once: statements that wait together share a message to the store. */
const ABREAST = 50

/** The changes from a place on that need not wait for each other: of one resource, whose records do not refer to each other. */
function sideBySide(changes: readonly PlannedChange[], at: number): readonly PlannedChange[] {
  const resource = changes[at]?.resource
  const relationships = [...(resource?.relationships.values() ?? [])]
  const refersToItself = relationships.some(
    ({ target }) => target.kind === 'resource' && target.name === resource?.name,
  )
  const some = changes.slice(at, at + (refersToItself ? 1 : ABREAST))
  const other = some.findIndex((one) => one.resource !== resource)
  return other === -1 ? some : some.slice(0, other)
}

type Carry = (change: PlannedChange, carrying: Carrying) => Promise<void>

const replaceValues: Carry = async (change, carrying) => {
  const { resource, row, values } = change
  const { data, writes, setting } = carrying
  await data.store(resource, row, values, writes)
  await data.redact(erasureOf(resource, row, values, carrying), carrying.retained, writes)
  const fields = Object.keys(values)
  await setting.media?.release(
    data.model.name,
    { resource: resource.name, key: recordKey(resource, row), fields },
    writes,
    carrying.call,
  )
  await rename(change, carrying)
}

const CARRIED: Readonly<Record<PlannedChange['action'], Carry>> = {
  anonymize: replaceValues,
  pseudonymize: replaceValues,
  async nullify({ resource, row, values }, { data, writes }) {
    await data.store(resource, row, values, writes)
  },
  async delete({ resource, row }, carrying) {
    const { data, writes, setting } = carrying
    const values = nothingOf(resource, setting)
    await data.redact(erasureOf(resource, row, values, carrying), carrying.retained, writes)
    const key = recordKey(resource, row)
    await setting.media?.release(data.model.name, { resource: resource.name, key }, writes, carrying.call)
    await data.remove(resource, key, writes)
    await writes.remove({ table: setting.tables.holdings, where: linesOf(resource, String(key)) })
  },
}

/** What is kept beside records that hold nothing personal may have been made of what their person's other records do. */
export async function forgetBeside(
  records: readonly { readonly resource: Resource; readonly row: Row }[],
  carrying: Carrying,
): Promise<void> {
  for (const { resource, row } of records)
    await carrying.data.redact(erasureOf(resource, row, {}, carrying), LEDGERS, carrying.writes)
}

const LEDGERS: Carrying['retained'] = new Set(['audit', 'versions', 'history'])

/** Ledgers of records that are gone lose what they kept of the person. */
export async function forgetGone({ past }: Gathered, carrying: Carrying): Promise<number> {
  const { data, writes, setting } = carrying
  let forgotten = 0
  for (const [resource, ids] of past) {
    const values = nothingOf(resource, setting)
    for (const id of ids) {
      const key = resource.key.column?.kind === 'integer' ? Number(id) : id
      const where: Condition = { op: 'eq', column: resource.key.column!, value: key }
      const there = await writes.count({ table: resource.table, where })
      // What holds somebody else's values by now is not this person's any more.
      if (there > 0) continue
      await data.redact({ ...erasureOf(resource, {}, values, carrying), key }, carrying.retained, writes)
      forgotten += 1
    }
  }
  return forgotten
}

/** Takes the person out of the index, and remembers the pseudonym where there is one. */
export async function leaveIndex({ setting, asked, writes, at, pseudonym }: Carrying): Promise<void> {
  const own = [...(asked.subject?.own ?? [])]
  if (own.length > 0)
    await writes.remove({
      table: setting.tables.holdings,
      where: {
        op: 'and',
        of: [
          { op: 'in', column: HOLDING.hash, values: own },
          { op: 'not', of: { op: 'eq', column: HOLDING.field, value: BY_PSEUDONYM } },
        ],
      },
    })
  if (pseudonym === undefined) return
  const table = setting.tables.pseudonyms
  await writes.update({
    table,
    set: { last_used_at: at },
    where: { op: 'eq', column: PSEUDONYM.pseudonym, value: pseudonym },
  })
  for (const hash of new Set([asked.hash, ...own]))
    await writes.insert({
      table,
      values: { subject_hash: hash, pseudonym, created_at: at, last_used_at: at },
      onConflict: 'ignore',
    })
}

/** The index follows what a record holds in place of an identifier. */
async function rename({ resource, row, values }: PlannedChange, carrying: Carrying): Promise<void> {
  const { setting, asked, writes, pseudonym } = carrying
  const table = setting.tables.holdings
  const record = String(row[resource.key.name])
  const line = (hash: string, field: string): Row => ({
    hash,
    resource: resource.name,
    record,
    field,
    past: false,
  })
  const changed = setting.privacy.personal.filter(
    (one) => one.identifies && one.resource === resource && Object.hasOwn(values, one.field.name),
  )
  for (const { field } of changed) {
    const named: Condition = { op: 'eq', column: HOLDING.field, value: field.name }
    await writes.remove({ table, where: { op: 'and', of: [linesOf(resource, record), named] } })
    const value: Value = values[field.name] ?? null
    if (value === null) continue
    const hash = hashOf(canonical(field, value), asked.secret)
    await writes.insert({ table, values: line(hash, field.name), onConflict: 'ignore' })
  }
  if (pseudonym !== undefined)
    await writes.insert({
      table,
      values: line(hashOf(pseudonym, asked.secret), BY_PSEUDONYM),
      onConflict: 'ignore',
    })
}

const linesOf = ({ name }: Resource, record: string): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: HOLDING.resource, value: name },
    { op: 'eq', column: HOLDING.recordId, value: record },
  ],
})

const recordKey = (resource: Resource, row: Row): string | number => {
  const key = row[resource.key.name]
  return typeof key === 'number' ? key : String(key)
}

/** Null for every personal field. */
const nothingOf = (resource: Resource, { privacy }: Setting): Row =>
  Object.fromEntries(
    privacy.personal.filter((one) => one.resource === resource).map(({ field }) => [field.name, null]),
  )

const erasureOf = (resource: Resource, row: Row, values: Row, { call, at, setting }: Carrying): Erasure => ({
  resource,
  key: recordKey(resource, row),
  values,
  caller: call.caller,
  at,
  newId: setting.newId,
})
