import { ExpressionError, type Node, parseExpression } from '@svc/expression/contract'

/** The tree of an expression; undefined where it is none, which is told elsewhere. */
export function parsedIfSound(source: string): Node | undefined {
  try {
    return parseExpression(source)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return undefined
  }
}
