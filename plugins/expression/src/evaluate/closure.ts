import type { Value } from '@svc/store/contract'
import type { Node } from '../syntax/ast.ts'
import type { EvaluationContext } from '../vocabulary.ts'

/** A compiled expression. It never throws: what cannot be worked out is null. */
export type Evaluate = (context: EvaluationContext) => Value

/** Compiles a part of the tree that is being compiled. */
export type Compile = (node: Node) => Evaluate

/** A closure that always has one value. */
export const constant =
  (value: Value): Evaluate =>
  () =>
    value

export const NULL = constant(null)
