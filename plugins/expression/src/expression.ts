import type { Value } from '@svc/store/contract'
import type { Node } from './syntax/ast.ts'
import { checkExpression } from './check/check.ts'
import type { Checked } from './check/checked.ts'
import type { Compile, Evaluate } from './evaluate/closure.ts'
import { compileExpression } from './evaluate/compile.ts'
import type { Crossing, FoundCrossing } from './crossing/crossing.ts'
import { ExpressionError, type Fault } from './fault.ts'
import { type Fixed, fixedBy } from './evaluate/fixed.ts'
import { evaluated } from './values/exceeded.ts'
import type { Kind, Shape } from './values/kind.ts'
import { parseExpression } from './syntax/parse.ts'
import type { Reach } from './relation.ts'
import type { EvaluationContext, Vocabulary } from './vocabulary.ts'

/** An expression that was read, checked and compiled for one place; evaluating it never throws. */
export interface Expression {
  readonly source: string
  readonly ast: Node
  /** The kind of its values. */
  readonly kind: Kind
  /** What is inside of its values, where that is known. */
  readonly shape: Shape | undefined
  /** Names of the record's fields that it reads. */
  readonly fields: ReadonlySet<string>
  /** Those that it reads of the record as it was, which are among `fields` too. */
  readonly previousFields: Checked['previousFields']
  /** What it reads of values at hand, by the source of their shape. */
  readonly members: Checked['members']
  /** What values at hand were made of that it reads. */
  readonly origins: Checked['origins']
  /** The kind of each node. */
  readonly kinds: Checked['kinds']
  /** Which related records it reads, and what of them: these are handed to it as neighbours. */
  readonly reach: Reach
  /** The same of the record as it was. */
  readonly previousReach: Reach
  /** What it looks up in records of any resource, or makes of them; these are handed to it as `crossed`. */
  readonly crossings: readonly Crossing[]
  /** What has a meaning and is hardly meant. */
  readonly warnings: readonly Fault[]
  /** The value; null where it cannot be worked out. */
  readonly evaluate: Evaluate
  /**
   * The fields whose values it fixes as a condition, as `id == $trigger.record.id` does; `varying` are the variables that
   * differ from record to record.
   */
  fixed(varying?: readonly string[]): readonly Fixed[]
  /** Whether the value is exactly true. */
  holds(context: EvaluationContext): boolean
}

/** Makes an expression of its text. Throws ExpressionError with everything that is wrong with it in this place. */
export const compile = (source: string, vocabulary: Vocabulary): Expression =>
  compileTree(source, parseExpression(source), vocabulary)

/** The same of an expression that was read before. */
export function compileTree(source: string, ast: Node, vocabulary: Vocabulary): Expression {
  const checked = checkExpression(ast, vocabulary)
  const { faults, fields, previousFields, members, origins, reach, previousReach, kinds, shape } = checked
  const errors = faults.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new ExpressionError(errors)
  const compiled = compileExpression(ast, vocabulary, kinds)
  const evaluate: Evaluate = (context) => evaluated(compiled, context)
  return Object.freeze({
    source,
    ast,
    kind: kinds.get(ast) ?? 'unknown',
    shape,
    fields,
    previousFields,
    members,
    origins,
    reach,
    previousReach,
    kinds,
    crossings: checked.crossings.map((one) =>
      evaluable(one, (node) => compileExpression(node, vocabulary, kinds)),
    ),
    warnings: faults,
    evaluate,
    fixed: (varying = []) => fixedBy(ast, vocabulary, kinds, varying),
    holds: (context) => holds(evaluate(context)),
  } satisfies Expression)
}

const evaluable = ({ asks, ...found }: FoundCrossing, evaluate: Compile): Crossing => ({
  ...found,
  asks: asks.kind === 'lookup' ? { ...asks, evaluate: evaluate(asks.key) } : asks,
})

/** Whether a condition is met: null and everything else that is not true leave it unmet. */
export const holds = (value: Value): boolean => value === true
