import { addDuration } from '@svc/automation/contract'
import { type Data, type Resource, VERSION, type Writes } from '@svc/domain/contract'
import { AppError, type Call, SYSTEM } from '@svc/kernel'
import type { Condition, Reader, Row, Value } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { carryOut } from '../erase/carry.ts'
import type { Carrying } from '../erase/carrying.ts'
import { holdsOn } from '../erase/holds.ts'
import { forgetInLedgers } from '../erase/ledgers.ts'
import { newPseudonym } from '../erase/masks.ts'
import { type Plan, type PlannedChange, planErase } from '../erase/plan.ts'
import { placeOf, referrersOf } from '../erase/referrers.ts'
import type { Setting } from '../setting.ts'
import { RESTRICTED, SWEPT } from '../tables.ts'
import { momentsOf } from './activity.ts'
import { dueRows, type Sweep } from './due.ts'

type Key = Exclude<Value, null>

/** What comes of some records. */
export interface Counted {
  readonly due: number
  readonly done: number
  readonly held: number
}

/** A record whose time is over; undefined is the plan of one that is held or restricted. */
interface Judged {
  readonly row: Row
  readonly plan: Plan | undefined
}

/** Counts what a sweep would do to some records. */
export async function judgeSlice(
  sweep: Sweep,
  keys: readonly Key[],
  setting: Setting,
  reader: Reader,
): Promise<Counted> {
  const judged = await judge(sweep, keys, setting, reader, false)
  const held = judged.filter(({ plan }) => plan === undefined).length
  return { due: judged.length, done: 0, held }
}

/** Does what is due to some records, in the transaction of `writes`. */
export async function sweepSlice(
  sweep: Sweep,
  keys: readonly Key[],
  { setting, data, call }: Sweeping,
  writes: Writes,
): Promise<Counted> {
  const judged = await judge(sweep, keys, setting, writes, true)
  const { key, env } = setting
  const secret = await key.inside(writes)
  const carrying: Carrying = {
    setting,
    asked: { hash: '', secret, subject: undefined },
    call,
    data,
    writes,
    at: new Date(env.now()).toISOString(),
    retained: new Set(),
    excluded: new Set(),
    pseudonym: undefined,
    former: undefined,
  }
  const due = judged.length
  if (sweep.action === 'archive') {
    let done = 0
    for (const { row, plan } of judged) if (plan && (await archive(sweep, row, writes))) done += 1
    return { due, done, held: due - done }
  }
  const planned = judged.flatMap(({ row, plan }) => (plan ? [{ row, plan }] : []))
  const gone = await carryOutAll(planned, carrying)
  await forgetInLedgers(
    planned.flatMap(({ plan }) => plan.beside),
    carrying,
  )
  const seen = new Map(
    planned.map(({ row, plan }) => [String(row[sweep.resource.key.name]), versionAfter(sweep, row, plan)]),
  )
  const isGone = (id: string) => gone.has(`${sweep.resource.name}\n${id}`)
  const left = [...seen].filter(([id]) => !isGone(id))
  await mark(sweep, new Map(left), [...seen.keys()].filter(isGone), carrying)
  return { due, done: planned.length, held: due - planned.length }
}

/** By what a sweep is done. */
export interface Sweeping {
  readonly setting: Setting
  readonly data: Data
  readonly call: Pick<Call, 'caller' | 'requestId'>
}

function archive({ resource }: Sweep, row: Row, writes: Writes): Promise<boolean> {
  const key = row[resource.key.name] ?? null
  return isWritten(() => writes.savepoint(() => writes.record({ kind: 'delete', resource, key, as: SYSTEM })))
}

/**
 * Carries out what is planned of all records together, and answers the places of those that are gone: what one of them has
 * taken along is left to it. What changes a record again waits for the first change.
 */
async function carryOutAll(
  planned: readonly { readonly row: Row; readonly plan: Plan }[],
  carrying: Carrying,
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>()
  const together = new Map<string, PlannedChange>()
  const carryOn = async (): Promise<void> => {
    await carryOut([...together.values()], carrying)
    together.clear()
  }
  for (const { plan } of planned)
    for (const change of plan.changes) {
      const changed = placeOf(change.resource, change.row)
      if (gone.has(changed)) continue
      if (together.has(changed)) await carryOn()
      together.set(changed, change)
      if (change.action === 'delete') gone.add(changed)
    }
  await carryOn()
  return gone
}

/** The version that a record has by what was done to it, as every write counts it. */
function versionAfter({ resource }: Sweep, row: Row, { changes }: Plan): number {
  const own = placeOf(resource, row)
  const isWritten = changes.some((change) => placeOf(change.resource, change.row) === own)
  return Number(row[VERSION.name]) + (isWritten ? 1 : 0)
}

/** What keeps a record from being archived, such as a rule, or what refers to it, keeps it. */
async function isWritten(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return false
    throw error
  }
}

/** Notes that records are seen to until they are written again; those that are gone need no note. */
async function mark(
  { entry: { category }, resource, action }: Sweep,
  seen: ReadonlyMap<string, number>,
  gone: readonly string[],
  { writes, setting: { tables } }: Carrying,
): Promise<void> {
  const ofRecords = (values: readonly string[]): readonly Condition[] => [
    { op: 'eq', column: SWEPT.resource, value: resource.name },
    { op: 'in', column: SWEPT.recordId, values },
  ]
  const table = tables.swept
  if (gone.length > 0) await writes.remove({ table, where: { op: 'and', of: ofRecords(gone) } })
  if (seen.size === 0) return
  const of = [
    ...ofRecords([...seen.keys()]),
    { op: 'eq', column: SWEPT.category, value: category } as const,
    { op: 'eq', column: SWEPT.action, value: action } as const,
  ]
  await writes.remove({ table, where: { op: 'and', of } })
  const rows = [...seen].map(([record, version]) => ({
    resource: resource.name,
    record,
    category,
    action,
    version,
  }))
  await writes.insertRows({ table, rows })
}

/** Those of some records whose time is over, each with what is to be done to it. */
async function judge(
  sweep: Sweep,
  keys: readonly Key[],
  { privacy, tables, env }: Setting,
  reader: Reader,
  lock: boolean,
): Promise<readonly Judged[]> {
  const { entry, resource, duration, action } = sweep
  const now = env.now()
  const column = resource.key.column!
  const { table, columns } = resource
  const among: Condition = { op: 'in', column, values: keys }
  const order = [{ column, descending: false }]
  // Who has waited for another sweep asks again what that has left.
  if (lock) await reader.select({ table, columns: [column], where: among, order, lock: true })
  const where: Condition = { op: 'and', of: [among, dueRows(sweep, now, tables)] }
  const rows = await reader.select({ table, columns, where, order })
  const moments = await momentsOf(entry.since, resource, rows, privacy, reader)
  const due = rows.filter((row) => {
    const from = moments.get(row[column.name] ?? null)
    return from !== undefined && addDuration(from, duration) <= now
  })
  const here = due.map((row) => ({ resource, row }))
  const referrers =
    action === 'delete' ? await referrersOf(here, privacy.model, reader) : new Map<string, never>()
  const all = [...here, ...[...referrers.values()].flat()]
  const holds = await holdsOn(all, privacy, reader, now)
  const restricted = await restrictedAmong(all, { tables }, reader)
  return due.map((row) => {
    const plan = planOf(sweep, row, { privacy, env }, referrers, holds)
    const own = placeOf(resource, row)
    const places = [own, ...plan.changes.map((one) => placeOf(one.resource, one.row))]
    // An archived record keeps its values, and is out of sight: it is no more at hand for the law that holds it.
    const isHeld = plan.blockers.length > 0 || (action === 'archive' && holds.has(own))
    const isKept = isHeld || places.some((place) => restricted.has(place))
    return { row, plan: isKept ? undefined : plan }
  })
}

function planOf(
  { entry, resource, action }: Sweep,
  row: Row,
  { privacy, env }: Pick<Setting, 'privacy' | 'env'>,
  referrers: Parameters<typeof planErase>[0]['referrers'],
  holds: Awaited<ReturnType<typeof holdsOn>>,
): Plan {
  if (action === 'archive') return { changes: [], beside: [], affectedResources: [], blockers: [] }
  const { category } = entry
  return planErase({
    // What an erase does with a resource is not what a sweep does.
    privacy: { ...privacy, lineage: new Map() } satisfies Privacy,
    method: action,
    records: new Map([[resource, new Map([[String(row[resource.key.name]), row]])]]),
    roots: new Set([placeOf(resource, row)]),
    marked: new Set(),
    settled: new Set(),
    referrers,
    excluded: new Set(),
    masks: { pseudonym: newPseudonym(env.randomBytes), key: env.randomBytes(32) },
    isOwn: () => true,
    holdsOn: (of, one) => holds.get(placeOf(of, one)) ?? [],
    ...(action === 'anonymize' && { only: ({ flags }) => flags.classification === category }),
  })
}

/** The places of those of some records whose person is restricted. */
async function restrictedAmong(
  records: readonly { readonly resource: Resource; readonly row: Row }[],
  { tables: { restricted: table } }: Pick<Setting, 'tables'>,
  reader: Reader,
): Promise<ReadonlySet<string>> {
  const byResource = new Map<Resource, Set<string>>()
  for (const { resource, row } of records)
    byResource.set(resource, (byResource.get(resource) ?? new Set()).add(String(row[resource.key.name])))
  const found = new Set<string>()
  for (const [{ name }, ids] of byResource) {
    const where: Condition = {
      op: 'and',
      of: [
        { op: 'eq', column: RESTRICTED.resource, value: name },
        { op: 'in', column: RESTRICTED.recordId, values: [...ids] },
      ],
    }
    const rows = await reader.select({ table, columns: [RESTRICTED.recordId], where, order: [] })
    for (const row of rows) found.add(`${name}\n${String(row[RESTRICTED.recordId.name])}`)
  }
  return found
}
