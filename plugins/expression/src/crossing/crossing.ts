import type { Call, Node } from '../syntax/ast.ts'
import type { Evaluate } from '../evaluate/closure.ts'
import type { Kind } from '../values/kind.ts'
import type { Vocabulary } from '../vocabulary.ts'

/** What `aggregate` makes of records. */
export const AGGREGATES = ['sum', 'avg', 'min', 'max', 'count'] as const
export type AggregateName = (typeof AGGREGATES)[number]

/** A call that looks into records of any resource: `lookup`, or `aggregate`. Its value is worked out beforehand. */
export interface Crossing {
  /** The call, by which `crossed` of the context has the value. */
  readonly call: Call
  readonly resource: string
  /** The field whose values it takes. */
  readonly field: string
  readonly asks: Lookup | Aggregation
  /** All fields of the other records that it reads; its own record's are among the fields of the expression. */
  readonly reads: ReadonlySet<string>
}

/** One record, by its key. */
export interface Lookup {
  readonly kind: 'lookup'
  readonly key: Node
  /** The key for one record. Calls that look into others and stand in it have to be worked out by then. */
  readonly evaluate: Evaluate
}

/** All records that a filter leaves. */
export interface Aggregation {
  readonly kind: 'aggregate'
  readonly fn: AggregateName
  /** Undefined where every record counts. */
  readonly filter: Filter | undefined
}

/** Which records count: a condition on each, which reads the record of the formula as the variable `SELF`. */
export interface Filter {
  readonly ast: Node
  readonly kinds: ReadonlyMap<Node, Kind>
  readonly vocabulary: Vocabulary
  /** The fields that it reads of the record of the formula. */
  readonly own: ReadonlySet<string>
}

/** The variable by which a filter reads the record of its formula; no text can write it. */
export const SELF = '~record'

/** A crossing as it is found, before its parts can be evaluated. */
export interface FoundCrossing extends Omit<Crossing, 'asks'> {
  readonly asks: Omit<Lookup, 'evaluate'> | Aggregation
}
