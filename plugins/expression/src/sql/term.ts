import { isCleanText } from '@svc/kernel'
import {
  type Column,
  type Condition,
  type Scalar,
  SCALAR_FUNCTIONS,
  type ScalarFunction,
  type ScalarType,
  type Value,
} from '@svc/store/contract'
import type { Node } from '../syntax/ast.ts'
import type { Kind } from '../values/kind.ts'
import type { Relation } from '../relation.ts'
import type { EvaluationContext } from '../vocabulary.ts'

/** What a part of an expression comes to for one caller: a value already, or something to work out for each row. */
export type Term =
  | { readonly scalar: undefined; readonly value: Value }
  | { readonly scalar: Scalar; readonly type: ScalarType }

/** Which canonical form a text has that is known to be a date or date-time. */
export type DateForm = 'date' | 'datetime' | 'either'

/** Which of the records that a relation leads to are there for whoever an expression is bound for. */
export type RowsOf = (relation: Relation) => Condition

/** What a translation is bound to. */
export interface BindingContext extends EvaluationContext {
  /**
   * By whose rights it looks at related records: all that the author of the expression named are there, or those of these.
   * Nobody binds an expression without a word about it: what rows it picks tells of the records that it looked at.
   */
  readonly rowsOf: RowsOf | 'author'
}

/** How a part of an expression becomes a term. */
export interface Translation {
  /**
   * What rows give; undefined for a part that reads no record, whose value may be of any type. Of json nothing can
   * be asked but whether it is null.
   */
  readonly type: ScalarType | 'json' | 'list' | undefined
  readonly form?: DateForm | undefined
  /** Whether every value is a whole number that both stores keep exactly. */
  readonly whole?: boolean
  /** Of a list that reads the record. */
  readonly items?: readonly Part[]
  bind(context: BindingContext): Term
}

/** A translated part with the node that it was. */
export interface Part extends Translation {
  readonly node: Node
  readonly kind: Kind
}

/** Says that SQL has no way to mean what an expression means, and which part of it stands in the way. */
export class Untranslatable extends Error {
  override readonly name = 'Untranslatable'
  readonly node: Node
  readonly reason: string

  constructor(node: Node, reason: string) {
    super(reason)
    this.node = node
    this.reason = reason
  }
}

/** The term of a value that is known. */
export const constant = (value: Value): Term => ({ scalar: undefined, value })
/** The term of a scalar. */
export const computed = (scalar: Scalar, type: ScalarType): Term => ({ scalar, type })
/** The term of a boolean scalar. */
export const condition = (scalar: Scalar): Term => computed(scalar, 'boolean')
/** The term that is null. */
export const NULL = constant(null)

/** Null as a scalar of a type. */
export const nullOf = (type: ScalarType): Scalar => ({ op: 'value', type, value: null })
/** A column as a scalar. */
export const columnOf = (column: Column): Scalar => ({ op: 'column', column })
/** A value as a scalar. */
export const valueOf = (type: ScalarType, value: string | number | boolean): Scalar => ({
  op: 'value',
  type,
  value,
})

/** The term as a scalar of a type; undefined where it is null or of another type. No row holds an unclean text. */
export function as(term: Term, type: ScalarType): Scalar | undefined {
  if (term.scalar !== undefined) return term.type === type ? term.scalar : undefined
  const { value } = term
  if (typeof value === 'string')
    return type === 'text' && isCleanText(value) ? valueOf(type, value) : undefined
  if (typeof value === 'number') return type === 'number' ? valueOf(type, value) : undefined
  return typeof value === 'boolean' && type === 'boolean' ? valueOf(type, value) : undefined
}

/** As a condition: what is neither true nor false is null. */
export const asCondition = (term: Term): Scalar => as(term, 'boolean') ?? nullOf('boolean')

/** A call; null where one of its arguments is. */
export function call(name: ScalarFunction, ...args: readonly (Scalar | undefined)[]): Term {
  const of = args.filter((arg) => arg !== undefined)
  return of.length < args.length ? NULL : computed({ op: 'call', name, of }, SCALAR_FUNCTIONS[name])
}

/** `not`: null stays null. */
export function not(term: Term): Term {
  if (term.scalar === undefined) return constant(typeof term.value === 'boolean' ? !term.value : null)
  return term.type === 'boolean' ? condition({ op: 'not', of: term.scalar }) : NULL
}

/** `and`, `or` of three truth values, without the parts that decide nothing. */
export function junction(op: 'and' | 'or', terms: readonly Term[]): Term {
  const decisive = op === 'or'
  const isValue = (term: Term, value: boolean): boolean => term.scalar === undefined && term.value === value
  if (terms.some((term) => isValue(term, decisive))) return constant(decisive)
  const open = terms.filter((term) => !isValue(term, !decisive))
  const [first] = open
  if (first === undefined) return constant(!decisive)
  if (open.every((term) => term.scalar === undefined)) return NULL
  return condition(open.length === 1 ? asCondition(first) : { op, of: open.map(asCondition) })
}

/** Whether the term is null. */
export const isNull = (term: Term): Term =>
  term.scalar === undefined ? constant(term.value === null) : condition({ op: 'null', of: term.scalar })

/** The part, where rows give one value for it and not a list or an object. */
export function single<P extends Part>(part: P): P & { readonly type: ScalarType | undefined } {
  const { type } = part
  if (type === 'json')
    throw new Untranslatable(part.node, 'of a field of JSON, SQL can only tell whether it is null')
  if (type === 'list')
    throw new Untranslatable(part.node, "a list that reads the record can only stand after 'in'")
  return { ...part, type }
}
