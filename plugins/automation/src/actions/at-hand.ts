import type { Expression, Resource } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { resourceNamed } from '../triggers/names.ts'
import type { ActionPlace, Performing } from './action.ts'
import type { ActionDefinition } from './definition.ts'

/** The record that an action is done to: the one at hand, or one of `target` that `recordId` names. */
export interface MeantRecord {
  readonly resource: Resource
  readonly expressions: readonly Expression[]
  /** Its key now. Throws NOT_FOUND where nothing is named. */
  key(performing: Performing): Exclude<Value, null>
}

/** Finds the record that is meant; undefined where there is none, which is reported. */
export function meantRecord(written: ActionDefinition, place: ActionPlace): MeantRecord | undefined {
  const { site, path, resource: atHand } = place
  const { action, target, recordId } = written
  const resource = target === undefined ? atHand : resourceNamed(target, [...path, 'target'], site)
  if (recordId !== undefined) return resource && namedRecord(recordId, resource, place)
  if (atHand === undefined) {
    site.problem(path, `no record is at hand for 'action: ${action}'`, "Name one by 'target' and 'recordId'")
    return undefined
  }
  if (resource !== undefined && resource !== atHand)
    site.problem(
      [...path, 'target'],
      `the record at hand is of '${atHand.name}'`,
      `Say by 'recordId' which record of '${resource.name}' is meant`,
    )
  return resource === atHand ? { resource: atHand, expressions: [], key: keyAtHand } : undefined
}

function keyAtHand({ key }: Performing): Exclude<Value, null> {
  if (key === undefined) throw errors.NOT_FOUND({ message: 'No record is at hand' })
  return key
}

function namedRecord(
  recordId: string | number,
  resource: Resource,
  { site, path, speech }: ActionPlace,
): MeantRecord | undefined {
  const value = site.value(recordId, [...path, 'recordId'], speech)
  return (
    value && {
      resource,
      expressions: value.expressions,
      key({ context }) {
        const key = value.evaluate(context)
        if (key === null || typeof key === 'object')
          throw errors.NOT_FOUND({ message: `'recordId' names no record of '${resource.name}'` })
        return key
      },
    }
  )
}
