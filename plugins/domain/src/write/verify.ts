import type { Condition, Reader, Row, Value } from '@svc/store/contract'
import type { Candidate, CompiledType } from '../fields/field-type.ts'
import { type InnerPath, walk } from '../fields/walk.ts'
import type { Field } from '../model/field.ts'
import type { Fault } from '../speech/speech.ts'
import type { Change } from './change.ts'

/** What was found about the value of a field; it counts as long as the value is the same. */
export interface Verified {
  readonly value: Value
  readonly faults: Fault[]
}

/** Adds what the store says against the values of a change; nothing is asked of a resource without such fields. */
export function verifyValues(change: Change, reader: Reader, isWriting: boolean): void | Promise<void> {
  if (change.resource.verified.length > 0) return verifyOne(change, reader, isWriting)
}

async function verifyOne(change: Change, reader: Reader, isWriting: boolean): Promise<void> {
  const asked = askedOf(change)
  const isKnown = ({ name }: Field) => change.verified?.get(name)?.value === change.values[name]
  if (!asked.every(isKnown)) await verifyTogether([change], reader, isWriting)
  for (const { name } of asked) change.faults.push(...(change.verified?.get(name)?.faults ?? []))
  change.verified = undefined
}

/** Asks about the values of many changes of one resource at once. Each keeps what was found until it is judged. */
export async function verifyTogether(
  changes: readonly Change[],
  reader: Reader,
  isWriting: boolean,
): Promise<void> {
  const asking = changes.filter((change) => askedOf(change).length > 0)
  const [first] = asking
  if (first === undefined) return
  const previous = await previousOf(asking, reader)
  const places = asking.flatMap((change) => placesIn(change, previous.get(change.key)))
  const { domain, caller } = first
  for (const type of new Set(places.map((place) => place.type))) {
    const ones = places.filter((place) => place.type === type)
    const found = await type.verify!(ones.map(candidateOf), { reader, isWriting, domain, caller })
    for (const [at, { field, path, found: faults }] of ones.entries())
      for (const { path: inner, ...fault } of found[at] ?? [])
        faults.push({ ...fault, field: [field, ...path, ...(inner === undefined ? [] : [inner])].join('.') })
  }
}

/** The fields about whose new values there is something to ask: what is at fault already is refused in any case. */
function askedOf({ resource, values, faults }: Change): readonly Field[] {
  return resource.verified.filter(
    ({ name }) =>
      (values[name] ?? null) !== null &&
      !faults.some(({ field }) => field === name || field.startsWith(`${name}.`)),
  )
}

/** A value that is asked about, where it stands, and where what is found goes. */
interface Place extends Candidate {
  readonly type: CompiledType
  readonly field: string
  readonly path: InnerPath
  readonly found: Fault[]
}

const candidateOf = ({ value, before }: Place): Candidate => ({ value, before })

/** Everything to ask about the values of a change, which takes note that it was asked. */
function placesIn(change: Change, previous: Row | undefined): readonly Place[] {
  const verified = new Map<string, Verified>()
  change.verified = verified
  return askedOf(change).flatMap(({ name, compiled }) => {
    const found: Fault[] = []
    verified.set(name, { value: change.values[name]!, faults: found })
    const before = valuesByType(
      compiled,
      mayCompare(change, name, previous) ? (previous?.[name] ?? null) : null,
    )
    const places: Place[] = []
    walk(compiled, change.values[name]!, (type, value, path) => {
      if (type.verify === undefined) return
      places.push({ type, field: name, path, value, before: before.get(type.type.name) ?? [], found })
    })
    return places
  })
}

/**
 * Whether what a field held before may decide about its new values. Who sends values without being able to read the field could find out by
 * trying which of them it holds.
 */
function mayCompare({ caller, access, body }: Change, name: string, previous: Row | undefined): boolean {
  if (caller.kind === 'system' || previous === undefined || !Object.hasOwn(Object(body), name)) return true
  return access.readableIn(previous, name)
}

function valuesByType(compiled: CompiledType, value: Value): ReadonlyMap<string, readonly Value[]> {
  const found = new Map<string, Value[]>()
  walk(compiled, value, ({ type, verify }, inner) => {
    if (verify !== undefined) found.set(type.name, [...(found.get(type.name) ?? []), inner])
  })
  return found
}

/** What the records of the changes hold until now, by their keys. */
async function previousOf(
  changes: readonly Change[],
  reader: Reader,
): Promise<ReadonlyMap<Value | undefined, Row>> {
  const known = new Map<Value | undefined, Row>()
  const unknown: Exclude<Value, null>[] = []
  for (const { kind, key, previous } of changes) {
    if (previous !== undefined) known.set(key, previous)
    else if (kind !== 'create' && key !== undefined) unknown.push(key)
  }
  if (unknown.length === 0) return known
  const { table, key, verified, ownerField } = changes[0]!.resource
  const where: Condition = { op: 'in', column: key.column!, values: [...new Set(unknown)] }
  const asked = [key, ...verified, ...(ownerField ? [ownerField] : [])]
  const columns = [...new Set(asked.flatMap(({ column }) => column ?? []))]
  for (const row of await reader.select({ table, columns, where, order: [] })) known.set(row[key.name], row)
  return known
}
