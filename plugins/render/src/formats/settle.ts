import { linkAddress } from '../address.ts'
import { parseMarkdown } from '../body/parse.ts'
import { withoutForbidden } from '../characters.ts'
import type { Block, Document, DocumentNode, Inline, Line } from '../document.ts'
import { isBlank, joined } from '../fill/elements.ts'
import type { Settled } from './format.ts'
import type { MarkdownNode, MarkdownOf } from '../trees.ts'

/** Reads the values of a document that are Markdown: blocks where they stand alone, their words where they stand in a line. */
export const settle = (document: Document): Settled => ({
  ...document,
  children: blocksOf(document.children),
  header: document.header && lineOf(document.header),
  footer: document.footer && lineOf(document.footer),
})

const lineOf = ({ left, center, right }: Line): Line => ({
  left: inlinesOf(left),
  center: inlinesOf(center),
  right: inlinesOf(right),
})

/** Of anything that holds blocks, items, rows or cells. */
function blocksOf<T extends DocumentNode>(nodes: readonly T[]): readonly T[] {
  return nodes.flatMap((node): T[] => {
    if (node.type === 'paragraph') {
      const values = node.children.filter(({ type }) => type === 'markdown')
      if (values.length > 0 && isBlank(node.children.filter(({ type }) => type !== 'markdown')))
        // A paragraph stands where any block may.
        return values.flatMap((value) => read(value as Markdown)) as T[]
      return [{ ...node, children: inlinesOf(node.children) }]
    }
    if (node.type === 'heading' || node.type === 'tableCell')
      return [{ ...node, children: inlinesOf(node.children) }]
    return 'children' in node
      ? [{ ...node, children: blocksOf(node.children as readonly DocumentNode[]) }]
      : [node]
  })
}

type Markdown = Extract<Inline, { type: 'markdown' }>

function inlinesOf(nodes: readonly Inline[]): readonly Inline[] {
  const made = nodes.flatMap((node): readonly Inline[] => {
    if (node.type === 'markdown') return inLine(read(node))
    return 'children' in node ? [{ ...node, children: inlinesOf(node.children) }] : [node]
  })
  return joined(made)
}

/** The words of blocks, with breaks between them. */
const inLine = (blocks: readonly Block[]): readonly Inline[] =>
  blocks.flatMap((block, at) => [...(at === 0 ? [] : [BREAK]), ...wordsOf(block)])

const BREAK: Inline = { type: 'break' }

function wordsOf(block: Block): readonly Inline[] {
  switch (block.type) {
    case 'paragraph':
    case 'heading':
      return block.children
    case 'blockquote':
      return inLine(block.children)
    case 'list':
      return inLine(block.children.flatMap(({ children }) => children))
    case 'table':
      return block.children.flatMap(({ children }, at) => [
        ...(at === 0 ? [] : [BREAK]),
        ...children.flatMap((cell, column) => [...(column === 0 ? [] : [GAP]), ...cell.children]),
      ])
    case 'code':
      return [{ type: 'inlineCode', value: block.value }]
    case 'thematicBreak':
    case 'pageBreak':
      return []
  }
}

const GAP: Inline = { type: 'text', value: ' ' }

function read({ value }: Markdown): readonly Block[] {
  const root = parseMarkdown(value)
  return new Cleaner(root).whole()
}

/** Nobody reads what stands deeper. */
const MOST_LEVELS = 100

/** Makes a document of a tree that somebody else's text became: raw HTML and pictures are left out. */
class Cleaner {
  readonly #root: MarkdownOf<'root'>
  readonly #definitions = new Map<string, MarkdownOf<'definition'>>()

  constructor(root: MarkdownOf<'root'>) {
    this.#root = root
    const waiting: MarkdownNode[] = [root]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.type === 'definition' && !this.#definitions.has(node.identifier))
        this.#definitions.set(node.identifier, node)
      if ('children' in node) for (const child of node.children.toReversed()) waiting.push(child)
    }
  }

  whole(): readonly Block[] {
    return this.#clean(this.#root.children, 0) as readonly Block[]
  }

  #clean(nodes: readonly MarkdownNode[], depth: number): readonly DocumentNode[] {
    return depth > MOST_LEVELS ? [] : nodes.flatMap((node) => this.#one(node, depth + 1))
  }

  #inline(nodes: readonly MarkdownNode[], depth: number): readonly Inline[] {
    return joined(this.#clean(nodes, depth) as readonly Inline[])
  }

  #one(node: MarkdownNode, depth: number): readonly DocumentNode[] {
    switch (node.type) {
      case 'text':
      case 'inlineCode':
        return [{ type: node.type, value: withoutForbidden(node.value) }]
      case 'code':
        return [{ type: 'code', lang: node.lang ?? null, value: withoutForbidden(node.value) }]
      case 'paragraph':
      case 'emphasis':
      case 'strong':
      case 'delete':
      case 'tableCell':
        return [{ type: node.type, children: this.#inline(node.children, depth) }]
      case 'heading':
        return [{ type: 'heading', depth: node.depth, children: this.#inline(node.children, depth) }]
      case 'blockquote':
        return [{ type: 'blockquote', children: this.#clean(node.children, depth) as readonly Block[] }]
      case 'list': {
        const { ordered, start, spread, children } = node
        const items = this.#clean(children, depth) as Extract<Block, { type: 'list' }>['children']
        const made = { type: 'list', ordered: ordered === true, start: start ?? null } as const
        return [{ ...made, spread: spread === true || items.some((item) => item.spread), children: items }]
      }
      case 'listItem': {
        const { checked = null, spread } = node
        const children = this.#clean(node.children, depth) as readonly Block[]
        return [{ type: 'listItem', checked, spread: spread === true, children }]
      }
      case 'table':
        return [
          {
            type: 'table',
            align: node.align ?? [],
            children: this.#clean(node.children, depth) as Extract<Block, { type: 'table' }>['children'],
          },
        ]
      case 'tableRow':
        return [
          {
            type: 'tableRow',
            children: this.#clean(node.children, depth) as Extract<
              DocumentNode,
              { type: 'tableRow' }
            >['children'],
          },
        ]
      case 'thematicBreak':
      case 'break':
        return [{ type: node.type }]
      case 'image':
      case 'imageReference':
        return [{ type: 'text', value: withoutForbidden(node.alt ?? '') }]
      case 'link':
        return this.#link(node.url, node.title, this.#inline(node.children, depth))
      case 'linkReference': {
        const { url = '', title } = this.#definitions.get(node.identifier) ?? {}
        return this.#link(url, title, this.#inline(node.children, depth))
      }
      default:
        return []
    }
  }

  #link(written: string, title: string | null | undefined, children: readonly Inline[]): readonly Inline[] {
    const url = linkAddress(written)
    const text = withoutForbidden(title ?? '')
    return url === undefined ? children : [{ type: 'link', url, title: text === '' ? null : text, children }]
  }
}
