import { type AppError, type Caller, errors, shared, SYSTEM } from '@svc/kernel'
import type { Condition, Reader, Row, Value } from '@svc/store/contract'
import type { Part } from '../contract/part.ts'
import type { PassedOver, PassOver, Restricted, Restriction } from '../contract/restriction.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'

type Restricting = Pick<Part, 'narrow' | 'narrowedBy' | 'passesOver' | 'passesOverOf' | 'passesOverGone'>

/** The parts that restrict a resource; one that is absent has no restrictions. */
const known = shared('domain.restrictions', () => new WeakMap<Resource, readonly Restricting[]>())

/** Takes note of what the parts of a model restrict, before anybody asks for its records. */
export function noteRestrictions({ resources, parts }: Model): void {
  for (const resource of resources.values()) {
    const own = parts.flatMap(({ part, resource: of }): readonly Restricting[] => {
      const isRestricting = part.narrow !== undefined || part.passesOver !== undefined
      return isRestricting && (of === undefined || of === resource) ? [part] : []
    })
    if (own.length > 0) known.set(resource, own)
  }
}

/** Whether any block may restrict the resource. */
export const isRestricted = (resource: Resource): boolean => known.has(resource)

/** Whether a block may restrict the resource by something that nobody else can know of. */
export const isRestrictedApart = (resource: Resource): boolean =>
  known.get(resource)?.some((part) => part.narrow !== undefined && part.narrowedBy === undefined) === true

/** Names what restricts resources now, as far as that depends on the store: another name, and other records may be left. */
export async function restrictedBy(resources: Iterable<Resource>, reader: Reader): Promise<string> {
  const parts = new Set([...resources].flatMap((one) => known.get(one) ?? []))
  const names: string[] = []
  for (const part of parts) if (part.narrowedBy !== undefined) names.push(await part.narrowedBy(reader))
  return names.join()
}

const NONE: readonly Restriction[] = Object.freeze([])

/** What restricts an operation of a caller now. */
export function restrictionsOf(
  resource: Resource,
  operation: Restricted,
  caller: Caller,
): readonly Restriction[] {
  const own = known.get(resource)
  return own === undefined ? NONE : own.flatMap((part) => part.narrow?.(resource, operation, caller) ?? [])
}

/** What the service does with records by itself. */
export const BY_ITSELF: readonly Restricted[] = Object.freeze(['automate'])

const NOBODY: PassedOver = new Map()

/** How the parts that restrict a resource find what is passed over of it besides. */
const passingOf = (resource: Resource, own: readonly Restricting[]): readonly PassOver[] =>
  own.flatMap(({ passesOver, passesOverOf }) =>
    passesOver === undefined || passesOverOf?.has(resource) === false ? [] : [passesOver],
  )

/** Those of some stored records, given with all their columns, that all that runs by itself passes over, and why. */
export async function passedOver(
  resource: Resource,
  records: readonly Row[],
  reader: Reader,
): Promise<PassedOver> {
  const own = known.get(resource)
  if (own === undefined || records.length === 0) return NOBODY
  const column = resource.key.column!
  const values = records.map((record) => record[column.name] ?? null).filter((key) => key !== null)
  const passed = new Map<Value, AppError>()
  for (const { rows, refuse } of restrictionsOf(resource, 'automate', SYSTEM)) {
    const where: Condition = {
      op: 'and',
      of: [
        { op: 'in', column, values },
        { op: 'not', of: rows },
      ],
    }
    const kept = await reader.select({ table: resource.table, columns: [column], where, order: [] })
    for (const row of kept) passed.set(row[column.name] ?? null, refuse?.() ?? errors.FORBIDDEN())
  }
  for (const passesOver of passingOf(resource, own))
    for (const [key, why] of await passesOver(resource, records, reader)) passed.set(key, why)
  return passed
}

/**
 * Those of some records, of which the key has to be known, that are left to what is done with them (`done`): all but those that
 * blocks keep from that, and where it is done by itself (`automate`) those that this passes over. It is asked whatever the rights
 * by which they were read.
 */
export async function leftAmong(
  resource: Resource,
  records: readonly Row[],
  done: readonly Restricted[],
  reader: Reader,
): Promise<readonly Row[]> {
  const own = known.get(resource)
  if (own === undefined || done.length === 0 || records.length === 0) return records
  const { name, column } = { name: resource.key.name, column: resource.key.column! }
  const passing = done.includes('automate') ? passingOf(resource, own) : []
  const rows = done.flatMap((one) => restrictionsOf(resource, one, SYSTEM)).map((one) => one.rows)
  if (passing.length === 0 && rows.length === 0) return records
  const keys = records.map((record) => record[name] ?? null)
  const values = [...new Set(keys)].filter((key) => key !== null)
  const found = await reader.select({
    table: resource.table,
    columns: passing.length > 0 ? resource.columns : [column],
    where: { op: 'and', of: [{ op: 'in', column, values }, ...rows] },
    order: [],
  })
  const left = new Set(found.map((record) => record[name] ?? null))
  for (const passesOver of passing)
    for (const key of (await passesOver(resource, found, reader)).keys()) left.delete(key)
  return records.filter((record) => left.has(record[name] ?? null))
}

/**
 * Why the record with a key, which may be in the form of text, is passed over, also where it is there no more;
 * undefined where it is not.
 */
export async function passedOverAt(
  resource: Resource,
  key: Value,
  reader: Reader,
): Promise<AppError | undefined> {
  const own = known.get(resource)
  const value = own && keyValue(resource, key)
  if (value === undefined) return undefined
  const where: Condition = { op: 'eq', column: resource.key.column!, value }
  const { table, columns } = resource
  const records = await reader.select({ table, columns, where, order: [], limit: 1 })
  if (records.length === 0) return passedOverGone(own!, resource, value, reader)
  const [why] = (await passedOver(resource, records, reader)).values()
  return why
}

async function passedOverGone(
  own: readonly Restricting[],
  resource: Resource,
  key: Exclude<Value, null>,
  reader: Reader,
): Promise<AppError | undefined> {
  for (const part of own) {
    const why = await part.passesOverGone?.(resource, key, reader)
    if (why !== undefined) return why
  }
  return undefined
}

function keyValue({ key: { column } }: Resource, key: Value): Exclude<Value, null> | undefined {
  if (key === null || column?.kind !== 'integer' || typeof key !== 'string') return key ?? undefined
  const number = Number(key)
  return key !== '' && Number.isSafeInteger(number) ? number : undefined
}
