import { compile, type Expression, ExpressionError } from '@svc/expression/contract'
import type { Resource } from '../model/resource.ts'
import { vocabularyOf } from '../model/vocabulary.ts'

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

/** Compiles a record's own formula: it knows no caller and no other records. Throws ExpressionError. */
export const compileOverride = (source: string, resource: Resource): Expression =>
  compile(source, {
    ...vocabularyOf(resource, 'stored'),
    relations: undefined,
    functions: resource.functions,
  })

function orUndefined(source: string, resource: Resource): Expression | undefined {
  try {
    return compileOverride(source, resource)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return undefined
  }
}
