import type { Scalar, ScalarType, Value } from '@svc/store/contract'
import type { Call } from '../syntax/ast.ts'
import type { Fault } from '../fault.ts'
import type { Kind } from '../values/kind.ts'
import type { Relation } from '../relation.ts'
import type { EvaluationContext, Vocabulary } from '../vocabulary.ts'
import { type ArgumentsOf, type Parameter, readArguments } from './parameter.ts'

/** What a function takes from outside of its arguments. */
export type Reads = 'record' | 'caller' | 'clock'

/** A call with its arguments read. */
export type BoundCall = (context: EvaluationContext, vocabulary: Vocabulary) => Value

/** What a call tells before it runs. */
export interface Inspection {
  /** Fields of the record that the call reads. */
  readonly fields?: readonly string[]
  readonly faults?: readonly Fault[]
}

/** A function of the language: all that checking, evaluation and translation need to know of it. */
export interface ExpressionFunction {
  readonly takes: readonly Parameter[]
  /** How many of the last parameters may be left out. */
  readonly optional: number
  /** Whether the last parameter may be given more than once. */
  readonly repeats: boolean
  /** The kind of the result, from the kinds of the arguments. */
  readonly gives: (kinds: readonly Kind[]) => Kind
  readonly reads: readonly Reads[]
  readonly inspect: (call: Call, vocabulary: Vocabulary) => Inspection
  /** Reads the arguments; undefined where one of them is null or of another type, which makes the call null. */
  readonly bind: (values: readonly Value[]) => BoundCall | undefined
  /**
   * The way to related records that a call asks about, whether there are any; undefined where it asks about none, and is worked out
   * by what it is bound to. A relation of a name that no text can write is offered by the vocabulary for that.
   */
  readonly through?: ((call: Call, vocabulary: Vocabulary) => Relation | undefined) | undefined
  /** How the store works it out; without one it picks no records. The language's own have theirs elsewhere. */
  readonly sql?: SqlForm | undefined
}

/** A function in the words of the store, on both databases of the same meaning as its `evaluate`. */
export interface SqlForm {
  readonly gives: ScalarType
  /** Handed a scalar for each argument, none of which is null when it counts. */
  scalar(...args: readonly Scalar[]): Scalar
}

interface Definition<P extends readonly Parameter[]> {
  readonly takes: P
  readonly optional?: number
  readonly repeats?: boolean
  readonly gives: Kind | ExpressionFunction['gives']
  readonly reads?: readonly Reads[]
  readonly inspect?: ExpressionFunction['inspect']
  /** For parameters of `text` and `number` alone. */
  readonly sql?: SqlForm
  readonly through?: ExpressionFunction['through']
  evaluate(args: ArgumentsOf<P>, context: EvaluationContext, vocabulary: Vocabulary): Value
}

/** Declares a function; `evaluate` is handed arguments of the types that `takes` names. */
export function defineFunction<const P extends readonly Parameter[]>(
  definition: Definition<P>,
): ExpressionFunction {
  const { takes, optional = 0, repeats = false, gives, reads = [], sql } = definition
  if (sql && (reads.length > 0 || takes.some((one) => one !== 'text' && one !== 'number')))
    throw new Error('a function with an SQL form takes texts and numbers, and reads nothing besides')
  return Object.freeze({
    takes,
    optional,
    repeats,
    gives: typeof gives === 'string' ? () => gives : gives,
    reads,
    inspect: definition.inspect ?? (() => NOTHING),
    sql,
    through: definition.through,
    bind: (values) => {
      const args = readArguments(takes, values)
      return args && ((context, vocabulary) => definition.evaluate(args, context, vocabulary))
    },
  } satisfies ExpressionFunction)
}

const NOTHING: Inspection = Object.freeze({})

/** How many arguments a function takes, in words. */
export function arityOf({ takes, optional, repeats }: ExpressionFunction): string {
  const least = takes.length - optional
  if (repeats) return `${least} or more arguments`
  if (optional > 0) return `${least} to ${takes.length} arguments`
  return least === 0 ? 'no arguments' : least === 1 ? '1 argument' : `${least} arguments`
}

/** Whether a function can be called with so many arguments. */
export const accepts = ({ takes, optional, repeats }: ExpressionFunction, count: number): boolean =>
  count >= takes.length - optional && (repeats || count <= takes.length)
