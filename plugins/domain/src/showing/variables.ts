import type { Known } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import type { Facts } from './facts.ts'
import { resourceOf } from '../model/record-shape.ts'

/** What becomes of a record that stands in a variable. */
type Change = (resource: Resource, record: Row) => Row

/** The variables of facts with their records changed, wherever they stand; what nothing is known of stays as it is. */
export function withRecords({ variables, shapes }: Facts, change: Change): Facts['variables'] {
  if (variables === undefined || shapes === undefined) return variables
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, changed(value, shapes.get(name), change)]),
  )
}

function changed(value: Value, known: Known | undefined, change: Change): Value {
  if (known === undefined || typeof known === 'string') return value
  if (known.kind === 'list')
    return isList(value) ? value.map((one) => changed(one, known.items, change)) : value
  if (!isObject(value)) return value
  const resource = resourceOf(known.source)
  if (resource) return change(resource, value)
  if (known.source) return {}
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, changed(one, known.members.get(name), change)]),
  )
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

const isObject = (value: Value): value is Readonly<Record<string, Value>> =>
  typeof value === 'object' && value !== null && !isList(value)
