import type { FieldError } from '@svc/kernel'
import type { Reader, Value } from '@svc/store/contract'
import type { BelongsTo } from '../model/relationship.ts'
import type { Resource } from '../model/resource.ts'
import { liveRow } from '../query/live.ts'
import type { Change } from './change.ts'

/** Finds keys that lead nowhere, and relationships that are required and empty. */
export type CheckReferences = (change: Change, reader: Reader, lock: boolean) => Promise<void>

/** `resourceOf` finds what a relationship leads to. With `lock` a record that is referred to is held until the end. */
export const checkReferences =
  (resourceOf: (name: string) => Resource): CheckReferences =>
  async (change, reader, lock) => {
    const faulty = new Set(change.faults.map(({ field }) => field))
    for (const relationship of change.resource.relationships.values()) {
      if (relationship.kind !== 'belongsTo' || faulty.has(relationship.foreignKey)) continue
      const fault = await faultOf(relationship, change, { reader, lock, resourceOf })
      if (fault) change.faults.push(fault)
    }
  }

interface Looking {
  readonly reader: Reader
  readonly lock: boolean
  readonly resourceOf: (name: string) => Resource
}

async function faultOf(
  { foreignKey, target, required, onDelete }: BelongsTo,
  change: Change,
  { reader, lock, resourceOf }: Looking,
): Promise<FieldError | undefined> {
  const value = change.values[foreignKey]
  if (value === undefined || value === change.previous?.[foreignKey]) return undefined
  if (value === null) {
    return required
      ? { field: foreignKey, rule: 'required', message: `'${foreignKey}' is required` }
      : undefined
  }
  if (target.kind === 'users') return undefined
  const isHeld = lock && onDelete !== 'none'
  if (await exists(resourceOf(target.name), value, reader, isHeld)) return undefined
  return missing(foreignKey, target.name, value)
}

const missing = (field: string, what: string, value: Value): FieldError => ({
  field,
  rule: 'reference',
  message: `There is no ${what} '${String(value)}'`,
})

/** Refuses keys of users that are not there. Accounts are asked before the transaction, which must not wait. */
export async function checkUsers({ resource, values, caller, faults, runtime }: Change): Promise<void> {
  const asked = [...resource.relationships.values()].flatMap((one) => {
    const id = one.kind === 'belongsTo' && one.target.kind === 'users' ? values[one.foreignKey] : undefined
    return one.kind === 'belongsTo' && typeof id === 'string' && id !== caller.id
      ? { field: one.foreignKey, id }
      : []
  })
  if (asked.length === 0) return
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
