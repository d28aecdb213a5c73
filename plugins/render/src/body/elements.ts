import type { MarkdownNode } from '../trees.ts'
import type { Marked } from './marked.ts'
import type { Element } from './template.ts'

/** The element that a node of Markdown is; undefined where it is none. */
export function elementOf(node: MarkdownNode, marked: Pick<Marked, 'isEmpty'>): Element | undefined {
  switch (node.type) {
    case 'heading':
      return { type: 'heading', depth: node.depth }
    case 'list': {
      const spread = node.children.some(
        (item, at) => isSpread(item.children, marked) || areApart(item, node.children[at + 1], marked),
      )
      return { type: 'list', ordered: node.ordered === true, start: node.start ?? null, spread }
    }
    case 'listItem':
      return { type: 'listItem', checked: node.checked ?? null, spread: isSpread(node.children, marked) }
    case 'table':
      return { type: 'table', align: node.align ?? [] }
    case 'paragraph':
    case 'blockquote':
    case 'thematicBreak':
    case 'tableRow':
    case 'tableCell':
    case 'emphasis':
    case 'strong':
    case 'delete':
    case 'break':
      return { type: node.type }
    default:
      return undefined
  }
}

const isSpread = (nodes: readonly MarkdownNode[], marked: Pick<Marked, 'isEmpty'>): boolean =>
  nodes.some((node, at) => areApart(node, nodes[at + 1], marked))

/** Whether the author left a line empty between two nodes: one where a tag stood does not count. */
function areApart(
  node: MarkdownNode,
  next: MarkdownNode | undefined,
  { isEmpty }: Pick<Marked, 'isEmpty'>,
): boolean {
  if (next === undefined) return false
  // Lines of positions count from 1, those of the text from 0.
  const [from, to] = [node.position?.end.line ?? 0, (next.position?.start.line ?? 0) - 1]
  for (let line = from; line < to; line++) if (isEmpty(line)) return true
  return false
}
