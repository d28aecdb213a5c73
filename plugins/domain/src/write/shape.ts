import { errors, nearest } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import type { Field } from '../model/field.ts'
import type { Change } from './change.ts'

/** Takes the known, writable fields of the body; unknown ones are refused or dropped as the resource says. */
export function shape(change: Change): void {
  const { body, resource } = change
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw errors.VALIDATION_ERROR({
      errors: [{ field: '', rule: 'type', message: 'The body must be a JSON object' }],
    })
  }
  for (const [name, value] of Object.entries(body as Record<string, Value>)) {
    const field = resource.fields.get(name)
    if (field) take(change, field, value)
    else unknown(change, name)
  }
}

function unknown({ resource, faults, drop }: Change, name: string): void {
  const message = `'${resource.name}' has no field '${name}'`
  if (resource.features.validationMode === 'loose') return drop(message)
  const meant = nearest(name, resource.fields.keys())
  faults.push({
    field: name,
    rule: 'unknown',
    message: meant ? `${message}; did you mean '${meant}'?` : message,
  })
}

function take(change: Change, field: Field, value: Value): void {
  if (setByService(field, change)) {
    change.drop(`'${field.name}' is set by the server`)
    return
  }
  if (!change.access.writable(field)) {
    if (field.required)
      throw domainErrors.FIELD_FORBIDDEN({ message: `You may not write '${field.name}', which is required` })
    change.drop(`You may not write '${field.name}'`)
    return
  }
  change.values[field.name] = value
}

const STAMPS = new Set(['createdById', 'updatedById'])
const TIMES = new Set(['createdAt', 'updatedAt', 'deletedAt'])

/** Fields that no client writes: formulas, generated values, times and authors of writes, the state of a new record. */
function setByService(field: Field, { caller, kind, resource }: Change): boolean {
  if (field.computed || field.compiled.type.generated) return true
  if (caller.kind === 'system') return false
  if (kind === 'create' && field.name === resource.stateMachine?.field) return true
  return field.autoNow !== undefined || STAMPS.has(field.name) || (TIMES.has(field.name) && isMoment(field))
}

export const isMoment = (field: Field): boolean => field.compiled.type.column === 'datetime'
