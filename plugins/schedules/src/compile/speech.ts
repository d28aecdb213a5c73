import { recordShape, type Resource, type Speech } from '@svc/domain/contract'
import type { Known } from '@svc/expression/contract'

/** Names after `$` that everything of a schedule may use. */
const OCCURRENCE: readonly (readonly [string, Known])[] = [
  ['occurrence', 'datetime'],
  ['nextOccurrence', 'datetime'],
  ['currentQuarter', 'number'],
  ['currentYear', 'number'],
]

/** Names after `$`, with what is known of them: those of a batch are the records, and how many they are. */
export function variablesOf(resource: Resource | undefined, batched: boolean): ReadonlyMap<string, Known> {
  if (!batched) return new Map(OCCURRENCE)
  const records: Known = resource === undefined ? 'list' : { kind: 'list', items: recordShape(resource) }
  return new Map<string, Known>([...OCCURRENCE, ['records', records], ['count', 'number']])
}

/** What values and texts of a schedule may name: the record of the source, and variables. */
export const speechOf = (resource: Resource | undefined, batched: boolean): Speech => ({
  ...speechOfBatch(resource, batched),
  ...(resource && { resource }),
})

/** The same where no record is at hand, but all of them as a variable. */
export const speechOfBatch = (resource: Resource | undefined, batched: boolean): Speech => ({
  moment: 'read',
  variables: variablesOf(resource, batched),
})
