import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { gfmTaskListItemToMarkdown } from 'mdast-util-gfm-task-list-item'
import { type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown'
import type { DocumentNode, Inline } from '../document.ts'
import { joined } from '../fill/elements.ts'
import type { Renderer } from './format.ts'
import type { MarkdownNode } from '../trees.ts'

/** The body as CommonMark with tables, strikethrough and task lists, in which every character of a value is itself. */
export const renderMarkdown: Renderer = ({ children }) => {
  // Our nodes are those of mdast, and more that have handlers.
  const root = { type: 'root', children: children.flatMap(writable) } as unknown as MarkdownNode
  return Buffer.from(toMarkdown(root, OPTIONS).replaceAll(LINE_END, '&#10;'))
}

/** Stands for the end of a line that is a character: documents hold no control characters, and writers take it for a blank. */
const LINE_END = '\v'

/** What can be written as it is: blanks stand beside what is marked, breaks where a line may end, and all else is text. */
function writable(node: DocumentNode): readonly DocumentNode[] {
  switch (node.type) {
    case 'pageBreak':
      return []
    case 'paragraph':
      return [{ ...node, children: withBreaks(inlines(node.children)) }]
    case 'heading':
    case 'tableCell':
      return [{ ...node, children: withoutBreaks(inlines(node.children)) }]
    default:
      return 'children' in node
        ? [{ ...node, children: node.children.flatMap(writable) } as DocumentNode]
        : [node]
  }
}

function inlines(nodes: readonly Inline[]): readonly Inline[] {
  const made = nodes.flatMap((node): readonly Inline[] => {
    if (node.type === 'picture') return [text(node.alt.replaceAll('\n', LINE_END))]
    if (node.type === 'inlineCode') return [{ ...node, value: node.value.replaceAll('\n', ' ') }]
    if (node.type === 'page' || node.type === 'pages') return []
    if (node.type === 'link') {
      const title = node.title?.replaceAll('\n', LINE_END) ?? null
      return [{ ...node, title, children: withoutBreaks(inlines(node.children)) }]
    }
    if (node.type !== 'emphasis' && node.type !== 'strong' && node.type !== 'delete') return [node]
    return bare({ ...node, children: withoutBreaks(inlines(node.children)) })
  })
  return joined(made)
}

const text = (value: string): Inline => ({ type: 'text', value })

/** Signs that mark something stand next to what is no blank. */
function bare(node: Extract<Inline, { type: 'emphasis' | 'strong' | 'delete' }>): readonly Inline[] {
  const children = [...node.children]
  const [first, last] = [children[0], children.at(-1)]
  const before = first?.type === 'text' ? (/^[\p{Zs}\t\n\v]+/u.exec(first.value)?.[0] ?? '') : ''
  if (first?.type === 'text' && before !== '') children[0] = text(first.value.slice(before.length))
  const end = children.at(-1)
  const after =
    last?.type === 'text' && end?.type === 'text' ? (/[\p{Zs}\t\n\v]+$/u.exec(end.value)?.[0] ?? '') : ''
  if (end?.type === 'text' && after !== '')
    children[children.length - 1] = text(end.value.slice(0, end.value.length - after.length))
  return [text(before), { ...node, children: joined(children) }, text(after)]
}

const withoutBreaks = (nodes: readonly Inline[]): readonly Inline[] =>
  joined(nodes.map((node) => (node.type === 'break' ? text(LINE_END) : node)))

/** A line may end between two words. */
const withBreaks = (nodes: readonly Inline[]): readonly Inline[] =>
  joined(
    nodes.map((node, at) => {
      const [before, after] = [nodes[at - 1], nodes[at + 1]]
      const isBetween =
        before?.type === 'text' &&
        /\S$/.test(before.value) &&
        after?.type === 'text' &&
        /^\S/.test(after.value)
      return node.type === 'break' && !isBetween ? text(LINE_END) : node
    }),
  )

/** Readers do not agree on whether these are blanks. */
const DOUBTFUL = /[\u2028\u2029\ufeff]/g

/** Some readers take these away at the edges of cells. */
const BLANKS = /[^\S \v]/g

/** Whether a sign marks something depends on the characters beside it, and not every reader knows the kind of these. */
const PAIRS = /^[\u{10000}-\u{10ffff}]|[\u{10000}-\u{10ffff}]$/gu

/** Underscores beside such a character, which are written as they are between two letters. */
const BESIDE_PAIRS = /(?<=[\u{10000}-\u{10ffff}]_*)_|(?<!\\)_(?=_*[\u{10000}-\u{10ffff}])/gu

const MARKED: ReadonlySet<string> = new Set(['emphasis', 'strong', 'delete'])

const words: Handle = (node, parent, state, info) => {
  const written = state
    .safe(node.value, info)
    .replaceAll(state.stack.includes('tableCell') ? BLANKS : DOUBTFUL, reference)
    .replaceAll(BESIDE_PAIRS, '\\_')
  const isNear =
    parent !== undefined &&
    [parent, ...('children' in parent ? parent.children : [])].some(({ type }) => MARKED.has(type))
  return isNear ? written.replaceAll(PAIRS, reference) : written
}

const reference = (sign: string): string => `&#x${sign.codePointAt(0)?.toString(16).toUpperCase()};`

const OPTIONS: Options = {
  bullet: '-',
  rule: '-',
  extensions: [gfmTableToMarkdown(), gfmStrikethroughToMarkdown(), gfmTaskListItemToMarkdown()],

  handlers: { text: words },
  // Some readers make links of what looks like an address.
  unsafe: [
    { character: '\\', inConstruct: 'phrasing' },
    { character: ':', before: '[ps]', after: '\\/', inConstruct: 'phrasing' },
    { character: '.', before: '[Ww]', after: '[\\-.\\w]', inConstruct: 'phrasing' },
    { character: '@', before: '[+\\-.\\w]', after: '[\\-.\\w]', inConstruct: 'phrasing' },
  ],
}
