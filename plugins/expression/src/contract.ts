export { checkExpression } from './check.ts'
export { compile, type Expression } from './expression.ts'
export type { Fixed } from './fixed.ts'
export { didYouMean, errorAt, ExpressionError, type Fault } from './fault.ts'
export {
  among,
  compileText,
  type CompiledText,
  interpolate,
  placeholdersOf,
  type ValueOf,
  wordsOf,
} from './interpolation.ts'
export { readInstant, timestamp, writeInstant } from './instant.ts'
export { type Kind, kindOfColumn } from './kind.ts'
export { withinLimits } from './exceeded.ts'
export { LIMITS } from './limits.ts'
export { parseExpression } from './parse.ts'
export { type Join, mergedReach, NO_REACH, type Reach, type Reached, type Relation } from './relation.ts'
export { assertAddable } from './functions/added.ts'
export { defineFunction, type ExpressionFunction, type SqlForm } from './functions/function.ts'
export { compareInstants, comparePlainly } from './sql/compare.ts'
export { type BindRows, type BindValue, translate, translateValue, untranslatable } from './sql/sql.ts'
export {
  as,
  type BindingContext,
  call,
  columnOf,
  computed,
  condition,
  constant,
  isNull,
  junction,
  not,
  NULL,
  type Term,
} from './sql/term.ts'
export type { EvaluationContext, Neighbour, Neighbours, Relations, Vocabulary } from './vocabulary.ts'
