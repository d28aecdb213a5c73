import type { Caller } from '@svc/kernel'
import { type Column, type Condition, holds } from '@svc/store/contract'
import { as } from '@svc/expression/contract'
import type { AddedCalls } from './added.ts'
import { parseScopeTokens } from './parse.ts'
import { tokenizeScope } from './tokens.ts'

/** The filter of a named scope, read and checked; it means the same on every store. */
export interface ScopeFilter {
  /** The rows that it takes for a caller; `now` is milliseconds since 1970. */
  bind(caller: Caller, now: number): Condition
}

const EVERY_ROW: ScopeFilter = Object.freeze({ bind: (): Condition => ({ op: 'always' }) })

/**
 * Reads a fragment of an SQL WHERE clause over a resource's stored fields, in which functions of plugins may be called; an
 * empty one takes every row. Throws ExpressionError, with the place of what cannot be read.
 */
export function parseScope(
  filter: string,
  columns: ReadonlyMap<string, Column>,
  added?: AddedCalls,
): ScopeFilter {
  if (filter.trim() === '') return EVERY_ROW
  const condition = parseScopeTokens(tokenizeScope(filter), columns, added)
  return Object.freeze({
    bind(caller: Caller, now: number): Condition {
      const scalar = as(condition.bind({ caller, now }), 'boolean')
      return scalar === undefined ? { op: 'never' } : holds(scalar)
    },
  })
}
