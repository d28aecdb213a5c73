import { type AppError, nearest } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { isSetByService } from '../model/writing.ts'
import { finding } from '../speech/sentences.ts'
import type { Fault } from '../speech/speech.ts'
import type { Change } from './change.ts'
import { invalid } from './refuse.ts'

/** Takes the known, writable fields of the body; unknown ones are refused or dropped as the resource says. */
export function acceptFields(change: Change): void {
  const { body, resource } = change
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid(change, [{ ...finding('type.body'), field: '' }])
  }
  const given = body as Readonly<Record<string, Value>>
  const unknown: string[] = []
  // Their names alone: to make a list of pairs takes longer than all else here.
  for (const name of Object.keys(given)) {
    const field = resource.fields.get(name)
    if (field) take(change, field, given[name]!)
    else unknown.push(name)
  }
  if (resource.features.validationMode === 'loose')
    for (const name of unknown) change.drop(hasNo(resource, name))
  else refuseUnknown(change, unknown)
}

/** A body has room for a hundred thousand names that mean nothing; so many of them are told one by one. */
const MOST_TOLD = 20

const hasNo = ({ name }: Resource, field: string): string => `'${name}' has no field '${field}'`

function refuseUnknown({ resource, faults }: Change, names: readonly string[]): void {
  for (const name of names.slice(0, MOST_TOLD)) faults.push(unknownField(resource, name))
  const more = names.length - MOST_TOLD
  if (more > 0) faults.push({ ...finding('unknown.fields', { resource: resource.name, more }), field: '' })
}

function unknownField(resource: Resource, name: string): Fault {
  const meant = nearest(name, resource.fields.keys())
  const params = { resource: resource.name, name }
  const fault = meant
    ? finding('unknown.similarField', { ...params, meant })
    : finding('unknown.field', params)
  return { ...fault, field: name }
}

function take(change: Change, field: Field, value: Value): void {
  if (setByService(field, change)) {
    change.drop(`'${field.name}' is set by the server`)
    return
  }
  if (change.access.writable(field) || mayTurnOutWritable(field, change)) change.values[field.name] = value
  else refuse(change, field)
}

/** What owners may write is decided when the record is known; a new record has no owner yet. */
const mayTurnOutWritable = (field: Field, { access, kind }: Change): boolean =>
  kind !== 'create' && access.writableByOwner(field)

function refuse(change: Change, field: Field): void {
  const { resource } = change
  if (field.required) throw fieldForbidden(resource, field)
  change.drop(`You may not write '${field.name}'`)
}

/** Refuses a value for a required field that the caller may not write: to drop it would be to write something else. */
export const fieldForbidden = ({ permissions }: Resource, { name }: Field): AppError =>
  domainErrors.FIELD_FORBIDDEN({
    message: `You may not write '${name}', which is required`,
    explanation: `permissions.fields.${name}.write is [${permissions.fields?.[name]?.write?.join(', ')}]`,
  })

/** Takes back what the body brings for fields that owners alone may write, where the caller is not the owner. */
export function keepOwners(change: Change): void {
  const { values, previous, resource, access } = change
  for (const name of Object.keys(values)) {
    const field = resource.fields.get(name)!
    if (!access.writableByOwner(field) || access.writableIn(previous!, field)) continue
    if (setByService(field, change)) continue
    delete values[name]
    refuse(change, field)
  }
}

/** What decides whether the service sets a field by itself. */
type Setting = Pick<Change, 'caller' | 'kind' | 'resource'>

/** Fields that no client writes; the service's own callers write all but formulas and generated values. */
export function setByService(field: Field, { caller, kind, resource }: Setting): boolean {
  if (field.computed || field.compiled.type.generated) return true
  if (caller.kind === 'system') return false
  return (kind === 'create' && field.name === resource.stateMachine?.field) || isSetByService(field, resource)
}

export const isMoment = (field: Field): boolean => field.compiled.type.column === 'datetime'
