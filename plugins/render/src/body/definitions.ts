import { errorAt, ExpressionError } from '@svc/expression/contract'
import type { MarkdownNode, MarkdownOf } from '../trees.ts'

/** Of all that stands inside of each other. */
const MOST_LEVELS = 100

/** What the references of a text mean, by their names. */
export type Definitions = ReadonlyMap<string, MarkdownOf<'definition'>>

/** Finds what references mean; of two that are called alike the first. Throws ExpressionError where a text is too deep to be walked. */
export function definitionsIn(
  root: MarkdownOf<'root'>,
  offsetOf: (node: MarkdownNode) => number,
): Definitions {
  const found = new Map<string, MarkdownOf<'definition'>>()
  const look = (node: MarkdownNode, depth: number): void => {
    if (depth > MOST_LEVELS)
      throw new ExpressionError([
        errorAt(offsetOf(node), `quotes and lists stand ${MOST_LEVELS} deep at most`),
      ])
    if (node.type === 'definition' && !found.has(node.identifier)) found.set(node.identifier, node)
    if ('children' in node) for (const child of node.children) look(child, depth + 1)
  }
  look(root, 0)
  return found
}
