import {
  compile,
  type Crossing,
  errorAt,
  type Expression,
  ExpressionError,
  type Fault,
} from '@svc/expression/contract'
import { type Crossable, crossingFault } from '../model/others.ts'
import type { Resource } from '../model/resource.ts'
import { userVocabulary } from '../model/vocabulary.ts'

/** So many formulas of records are kept compiled for each resource. */
const MOST_KEPT = 5000

const kept = new WeakMap<Resource, Map<string, Expression | undefined>>()

/** A record's own formula, compiled; undefined where it cannot be read any more. */
export function compiledOverride(source: string, resource: Resource): Expression | undefined {
  const known = kept.get(resource) ?? new Map<string, Expression | undefined>()
  kept.set(resource, known)
  if (known.has(source)) return known.get(source)
  if (known.size >= MOST_KEPT) known.clear()
  const expression = orUndefined(source, resource)
  known.set(source, expression)
  return expression
}

/** Compiles a record's own formula: it knows no caller and no related records. Throws ExpressionError. */
export function compileOverride(source: string, resource: Resource): Expression {
  const { functions, others } = resource
  const made = compile(source, { ...userVocabulary(resource), relations: undefined, functions })
  const faults = others === undefined ? [] : made.crossings.flatMap((one) => faultOf(one, others))
  if (faults.length > 0) throw new ExpressionError(faults)
  return made
}

function faultOf(crossing: Crossing, others: Crossable): readonly Fault[] {
  const message = crossingFault(crossing, others)
  return message === undefined ? [] : [errorAt(crossing.call.offset, message)]
}

function orUndefined(source: string, resource: Resource): Expression | undefined {
  try {
    return compileOverride(source, resource)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return undefined
  }
}
