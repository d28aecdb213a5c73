import { isDeepStrictEqual } from 'node:util'
import { AppError } from '@svc/kernel'
import type { Reader, Row } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import type { Field } from '../model/field.ts'
import { stateOf } from '../model/state-machine.ts'
import { compiledOverride } from '../present/overrides.ts'
import { moveState } from './states/move.ts'
import type { Change } from './change.ts'
import { isStamp } from './defaults.ts'
import { fieldForbidden } from './accept.ts'
import { ownValue } from './values.ts'

/** Takes the values of an earlier state of the record; fields that are gone since then are left out. */
export function takeEarlier(change: Change): void {
  const { resource, values } = change
  const earlier = change.body as Row
  for (const field of resource.fields.values()) {
    const value = ownValue(earlier, field.name)
    if (value !== undefined && goesBack(field, change)) values[field.name] = value
  }
}

/** Leaves what is the same now as then; what differs is written under the rules for the caller's own values. */
export function keepDifferent(change: Change): void {
  const { resource, values, previous, access } = change
  for (const name of Object.keys(values)) {
    const field = resource.fields.get(name)!
    const isSame = isDeepStrictEqual(values[name], previous![name])
    if (!isSame && access.writableIn(previous!, field)) continue
    // Who may not read the field does not learn here whether it has changed since.
    const isTold = !isSame && access.readableIn(previous!, name)
    if (isTold && field.required) throw fieldForbidden(resource, field)
    if (isTold) change.drop(`You may not write '${name}'`)
    delete values[name]
  }
}

/** A formula that names what is there no more does not keep the rest from coming back: the declared one counts. */
export function leaveUnreadable(change: Change): void {
  const { resource, values } = change
  for (const { name, overrides } of resource.overrides) {
    const source = values[name] ?? null
    if (source === null || compiledOverride(String(source), resource) !== undefined) continue
    values[name] = null
    change.drop(`The earlier formula for '${overrides}' cannot be read any more: the declared one counts`)
  }
}

/**
 * A state is reached by transitions alone. Where none leads back that lets the caller pass, and where a hook would
 * have to be asked first, the record keeps its state.
 */
export async function returnState(change: Change, reader: Reader): Promise<void> {
  const { values, previous, resource } = change
  const machine = resource.stateMachine
  if (machine === undefined || values[machine.field] === undefined) return
  try {
    if (machine.states.get(stateOf(machine, previous!))?.onExit.length) throw domainErrors.TRANSITION_DENIED()
    await moveState(change, reader)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    delete values[machine.field]
    change.drop(`No transition leads back to the earlier '${machine.field}' for you: it stays as it is`)
  }
}

/** Keys, owners, times and authors of writes stay as they are; formulas are worked out again. */
function goesBack(field: Field, { resource }: Change): boolean {
  const { column, primaryKey, immutable, autoNow, computed, compiled, name } = field
  if (column === undefined || primaryKey || immutable || autoNow || computed) return false
  if (!compiled.type.readable || compiled.type.generated) return false
  return field !== resource.ownerField && !isStamp(field) && name !== 'deletedAt'
}
