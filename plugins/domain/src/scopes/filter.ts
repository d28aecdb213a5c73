import type { Caller } from '@svc/kernel'
import { type Condition, holds } from '@svc/store/contract'
import { as, type Fault } from '@svc/expression/contract'
import { parseScopeTokens, type ScopeNames } from './parse.ts'
import { tokenizeScope } from './tokens.ts'

/** The filter of a named scope, read and checked; it means the same on every store. */
export interface ScopeFilter {
  /** The rows that it takes for a caller; `now` is milliseconds since 1970. */
  bind(caller: Caller, now: number): Condition
  /** What is hardly meant in it. */
  readonly warnings: readonly Fault[]
}

const EVERY_ROW: ScopeFilter = Object.freeze({ bind: (): Condition => ({ op: 'always' }), warnings: [] })

/**
 * Reads a fragment of an SQL WHERE clause over a resource's stored fields, in which functions of plugins may be called; an
 * empty one takes every row. Throws ExpressionError, with the place of what cannot be read.
 */
export function parseScope(filter: string, names: ScopeNames): ScopeFilter {
  if (filter.trim() === '') return EVERY_ROW
  const { condition, warnings } = parseScopeTokens(tokenizeScope(filter), names)
  return Object.freeze({
    warnings,
    bind(caller: Caller, now: number): Condition {
      const scalar = as(condition.bind({ caller, now }), 'boolean')
      return scalar === undefined ? { op: 'never' } : holds(scalar)
    },
  })
}
