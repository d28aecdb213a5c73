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
import { firstSealed, sourcesOfField } from '../model/sources.ts'
import { userVocabulary } from '../model/vocabulary.ts'

/** So many formulas of records are kept compiled for each resource. */
const MOST_KEPT = 5000

const kept = new WeakMap<Resource, Map<string, Expression | undefined>>()

/** A record's own formula, compiled; undefined where it cannot be read any more, or names what is kept sealed by now. */
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

/** What it would keep in the clear that is made of values which are kept sealed, in words; undefined where there is nothing. */
export function sealedFault({ fields }: Expression, resource: Resource): string | undefined {
  const sealed = [...fields].find((name) => isMadeOfSealed(name, resource))
  return sealed && `'${sealed}' keeps its values sealed: nothing is kept that is made of them`
}

function isMadeOfSealed(name: string, resource: Resource): boolean {
  const field = resource.fields.get(name)
  return field !== undefined && firstSealed([{ field }, ...sourcesOfField(field, resource)]) !== undefined
}

function faultOf(crossing: Crossing, others: Crossable): readonly Fault[] {
  const message = crossingFault(crossing, others)
  return message === undefined ? [] : [errorAt(crossing.call.offset, message)]
}

function orUndefined(source: string, resource: Resource): Expression | undefined {
  try {
    const made = compileOverride(source, resource)
    return sealedFault(made, resource) === undefined ? made : undefined
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return undefined
  }
}
