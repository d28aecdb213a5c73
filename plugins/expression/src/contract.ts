export { checkExpression } from './check/check.ts'
export { type Choice, choiceFault } from './check/choices.ts'
export { children, type Node } from './syntax/ast.ts'
export {
  type AggregateName,
  type Aggregation,
  type Crossing,
  type Filter,
  type Lookup,
  SELF,
} from './crossing/crossing.ts'
export { type Equality, type FilterParts, OTHER, partsOf, turned, withSelf } from './crossing/filter.ts'
export { compile, compileTree, type Expression } from './expression.ts'
export { isBareName, isCrossingName, memberName, rootOf } from './names.ts'
export type { Fixed } from './evaluate/fixed.ts'
export { didYouMean, errorAt, ExpressionError, type Fault, warningAt } from './fault.ts'
export {
  among,
  compileText,
  type CompiledText,
  interpolate,
  placeholdersOf,
  type ValueOf,
} from './interpolation.ts'
export { wordsOf } from './words.ts'
export { compileTemplate, type Template } from './text/template.ts'
export { compileParts, type TextTree } from './text/compile.ts'
export { doubledFaults } from './text/doubled.ts'
export { namesRead } from './text/names-read.ts'
export {
  createFiller,
  type Filler,
  type Filling,
  fillParts,
  type Made,
  type TextOutput,
} from './text/fill.ts'
export type { AppliedPipe, Pipe, Pipes, Piping } from './text/pipe.ts'
export { PLAIN_PIPES } from './text/pipes/index.ts'
export { piecesOf } from './text/tags.ts'
export type { Piece } from './text/scan.ts'
export type { Branch, EachPart, IfPart, MarkPart, Part, ValuePart, WordsPart } from './text/tree.ts'
export { TEXT_LIMITS, TextLimitError } from './text/limits.ts'
export { CURRENCIES } from './formats/currencies.ts'
export { formatsOf, type FormatSettings } from './formats/defaults.ts'
export type { Format } from './formats/format.ts'
export type { CurrencySign, Formats } from './formats/formats.ts'
export { FORMATS } from './formats/index.ts'
export { dateIn, timeIn } from './formats/zone.ts'
export { unreadableLetters } from './values/date-format.ts'
export { readInstant, timestamp, writeInstant } from './values/instant.ts'
export {
  type Kind,
  kindOfColumn,
  type Known,
  type ListShape,
  type MadeShape,
  type ObjectShape,
  type Origin,
  plainKind,
  type Shape,
} from './values/kind.ts'
export { print } from './syntax/print.ts'
export { rewritten } from './syntax/rewritten.ts'
export { withinLimits } from './values/exceeded.ts'
export { patternInSlashes } from './values/pattern.ts'
export { LIMITS } from './limits.ts'
export { parseExpression } from './syntax/parse.ts'
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
  type RowsOf,
  type Term,
} from './sql/term.ts'
export type {
  Choices,
  EvaluationContext,
  Neighbour,
  Neighbours,
  Other,
  Others,
  Relations,
  Vocabulary,
} from './vocabulary.ts'
