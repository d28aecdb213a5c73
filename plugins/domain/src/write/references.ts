import type { Reader, Row, Value } from '@svc/store/contract'
import type { BelongsTo } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'
import { liveRow } from '../query/live.ts'
import { finding } from '../speech/sentences.ts'
import type { Fault } from '../speech/speech.ts'
import type { Change } from './change.ts'

/** Finds keys that lead nowhere, and relationships that are required and empty. */
export type CheckReferences = (change: Change, reader: Reader, lock: boolean) => void | Promise<void>

/** `resourceOf` finds what a relationship leads to. With `lock` a record that is referred to is held until the end. */
export const checkReferences =
  (resourceOf: (name: string) => Resource): CheckReferences =>
  (change, reader, lock) => {
    const { faults, previous, resource, values } = change
    const asked = parentsOf(resource).filter(
      ({ foreignKey }) =>
        values[foreignKey] !== undefined &&
        values[foreignKey] !== previous?.[foreignKey] &&
        !faults.some(({ field }) => field === foreignKey),
    )
    if (asked.some((one) => isLookedFor(one, values)))
      return checkAll(asked, change, { reader, lock, resourceOf })
    for (const one of asked) if (isMissing(one, values)) faults.push(required(one))
    return undefined
  }

async function checkAll(asked: readonly BelongsTo[], change: Change, looking: Looking): Promise<void> {
  for (const relationship of asked) {
    const fault = await faultOf(relationship, change, looking)
    if (fault) change.faults.push(fault)
  }
}

/** Whether there is a record of the domain to look for. */
const isLookedFor = ({ foreignKey, target }: BelongsTo, values: Row): boolean =>
  target.kind !== 'users' && (values[foreignKey] ?? null) !== null

const isMissing = ({ foreignKey, required: isRequired }: BelongsTo, values: Row): boolean =>
  isRequired && (values[foreignKey] ?? null) === null

const required = ({ foreignKey }: BelongsTo): Fault => ({ ...finding('required'), field: foreignKey })

const known = new WeakMap<Resource, readonly BelongsTo[]>()

function parentsOf(resource: Resource): readonly BelongsTo[] {
  const before = known.get(resource)
  if (before !== undefined) return before
  const parents = [...resource.relationships.values()].filter((one) => one.kind === 'belongsTo')
  known.set(resource, parents)
  return parents
}

interface Looking {
  readonly reader: Reader
  readonly lock: boolean
  readonly resourceOf: (name: string) => Resource
}

async function faultOf(
  relationship: BelongsTo,
  { values }: Change,
  { reader, lock, resourceOf }: Looking,
): Promise<Fault | undefined> {
  const { foreignKey, target, onDelete } = relationship
  const value = values[foreignKey] ?? null
  if (value === null) return isMissing(relationship, values) ? required(relationship) : undefined
  if (target.kind === 'users') return undefined
  const isHeld = lock && onDelete !== 'none'
  if (await exists(resourceOf(target.name), value, reader, isHeld)) return undefined
  return missing(foreignKey, target.name, value)
}

const missing = (field: string, what: string, value: Value): Fault => ({
  ...finding('reference', { target: what, value }),
  field,
})

/** Refuses keys of users that are not there. Accounts are asked before the transaction, which must not wait. */
export function checkUsers(change: Change): void | Promise<void> {
  const { resource, values, caller } = change
  const asked: { readonly field: string; readonly id: string }[] = []
  for (const { target, foreignKey } of parentsOf(resource)) {
    const id = target.kind === 'users' ? values[foreignKey] : undefined
    if (typeof id === 'string' && id !== caller.id) asked.push({ field: foreignKey, id })
  }
  return asked.length === 0 ? undefined : askUsers(asked, change)
}

async function askUsers(
  asked: readonly { readonly field: string; readonly id: string }[],
  { faults, runtime }: Change,
): Promise<void> {
  const known = new Set((await runtime.describeUsers(asked.map(({ id }) => id))).map(({ id }) => id))
  for (const { field, id } of asked) if (!known.has(id)) faults.push(missing(field, 'user', id))
}

/** `isHeld`: the record is not deleted before the transaction ends, since its deletion has to find this one. */
async function exists(
  resource: Resource,
  key: Exclude<Value, null>,
  reader: Reader,
  isHeld: boolean,
): Promise<boolean> {
  const { table } = resource
  const rows = await reader.select({
    table,
    columns: table.primaryKey,
    where: liveRow(resource, key),
    order: [],
    limit: 1,
    ...(isHeld && { lock: 'shared' }),
  })
  return rows.length > 0
}
