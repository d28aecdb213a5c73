import type { Known, MadeShape } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Resource } from '../model/resource.ts'
import type { Facts } from './facts.ts'
import { resourceOf } from '../model/record-shape.ts'

/** What becomes of what stands in a variable. */
export interface Showers {
  /** A record. */
  record(resource: Resource, record: Row): Row
  /** Whether a value may be told that was made of something. */
  made(shape: MadeShape): boolean
}

/** The variables of facts as these show them, wherever records stand; what nothing is known of stays as it is. */
export const withRecords = ({ variables, shapes }: Facts, showers: Showers): Facts['variables'] =>
  withShapes(variables, shapes, showers)

/** The bare names of facts in the same way. */
export const namesWithRecords = ({ names, nameShapes }: Facts, showers: Showers): Facts['names'] =>
  withShapes(names, nameShapes, showers)

function withShapes(
  values: Facts['variables'],
  shapes: ReadonlyMap<string, Known> | undefined,
  showers: Showers,
): Facts['variables'] {
  if (values === undefined || shapes === undefined) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, changed(value, shapes.get(name), showers)]),
  )
}

function changed(value: Value, known: Known | undefined, showers: Showers): Value {
  if (known === undefined || typeof known === 'string') return value
  if (known.kind === 'list')
    return isList(value) ? value.map((one) => changed(one, known.items, showers)) : value
  if (known.kind === 'unknown') return showers.made(known) ? value : null
  if (!isObject(value)) return value
  const resource = resourceOf(known.source)
  if (resource) return showers.record(resource, value)
  if (known.source) return {}
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, changed(one, known.members.get(name), showers)]),
  )
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

const isObject = (value: Value): value is Readonly<Record<string, Value>> =>
  typeof value === 'object' && value !== null && !isList(value)
