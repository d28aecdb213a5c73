import type { Field } from './field.ts'
import type { Resource } from './resource.ts'

const AUTHORS: readonly string[] = ['createdById', 'updatedById']
const TIMES: readonly string[] = ['createdAt', 'updatedAt']

/** Whether the service sets a field, so that a client's value for it counts for nothing. */
export function isSetByService(
  { name, computed, autoNow, compiled }: Field,
  { features }: Resource,
): boolean {
  if (computed !== undefined || compiled.type.generated || autoNow !== undefined) return true
  if (features.softDelete && name === 'deletedAt') return true
  return AUTHORS.includes(name) || (TIMES.includes(name) && compiled.type.column === 'datetime')
}

/** Whether a body may never say null for a field. */
export function mustHold(field: Field, { relationships, api, stateMachine }: Resource): boolean {
  if (field.name === stateMachine?.field) return false
  if (field.required || field.primaryKey) return true
  if (field.name === api.under?.foreignKey) return false
  return [...relationships.values()].some(
    (one) => one.kind === 'belongsTo' && one.required && one.foreignKey === field.name,
  )
}

/** Whether a create without the field is refused: nothing else gives it a value. */
export function isRequiredOnCreate(field: Field, resource: Resource): boolean {
  if (!mustHold(field, resource)) return false
  const { type } = field.compiled
  const isMade = (field.primaryKey && type.column === 'uuid') || type.make !== undefined || field.from
  return !isMade && (field.default ?? null) === null && field !== resource.ownerField
}
