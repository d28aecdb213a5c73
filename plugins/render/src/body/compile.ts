import {
  compileParts,
  errorAt,
  ExpressionError,
  type Fault,
  type Vocabulary,
  warningAt,
} from '@svc/expression/contract'
import { linkAddress, pictureReference } from '../address.ts'
import type { MarkdownNode, MarkdownOf } from '../trees.ts'
import { type Marked, markTags } from './marked.ts'
import { parseMarkdown } from './parse.ts'
import { BODY_PIPES } from './pipes.ts'
import { type Placed, placeTagLines } from './place.ts'
import { type Block, type Role, rolesOf } from './roles.ts'
import type { Body, BodyNode, Element } from './template.ts'
import { type Strand, weave } from './weave.ts'

const PAGE_BREAK = 'pageBreak'

/**
 * Reads the body of a document: CommonMark with tables, strikethrough and task lists, in which the tags of the text language
 * stand. It is parsed here, once: what values hold is never Markdown. Throws ExpressionError with everything that is wrong
 * with it in this place.
 */
export function compileBody(source: string, vocabulary: Vocabulary): Body {
  const { parts, expressions, warnings } = compileParts(source, vocabulary, BODY_PIPES, new Set([PAGE_BREAK]))
  const marked = markTags(source)
  const compiler = new BodyCompiler(source, marked, rolesOf(parts, marked.tags))
  const children = compiler.whole(parseMarkdown(marked.text))
  if (compiler.errors.length > 0) throw new ExpressionError(sorted(compiler.errors))
  return Object.freeze({
    source,
    children,
    expressions,
    warnings: [...warnings, ...sorted(compiler.warnings)].slice(0, MOST_FAULTS),
  })
}

/** Words that mean something in the lines at the top and the foot of pages. */
const LINE_MARKS: ReadonlySet<string> = new Set(['page', 'pages'])

/** Reads one line of Markdown, in which `{page}` and `{pages}` stand for the number of the page and of all. */
export function compileLine(source: string, vocabulary: Vocabulary): Body {
  const { parts, expressions, warnings } = compileParts(source, vocabulary, BODY_PIPES, LINE_MARKS)
  const marked = markTags(source)
  const compiler = new BodyCompiler(source, marked, rolesOf(parts, marked.tags))
  const root = parseMarkdown(marked.text)
  const [paragraph, ...others] = compiler.whole(root)
  const isLine =
    paragraph === undefined || (paragraph.kind === 'element' && paragraph.element.type === 'paragraph')
  if (!isLine || others.length > 0)
    compiler.errors.push(errorAt(0, 'this is one line of text', 'leave out headings, lists and tables'))
  if (compiler.errors.length > 0) throw new ExpressionError(sorted(compiler.errors))
  const children = paragraph?.kind === 'element' ? paragraph.children : []
  return Object.freeze({ source, children, expressions, warnings: [...warnings, ...compiler.warnings] })
}

/** Nobody reads more. */
const MOST_FAULTS = 20

/** Of all that stands inside of each other. */
const MOST_LEVELS = 100

const sorted = (faults: readonly Fault[]): readonly Fault[] =>
  faults.toSorted((a, b) => a.offset - b.offset).slice(0, MOST_FAULTS)

class BodyCompiler {
  readonly errors: Fault[] = []
  readonly warnings: Fault[] = []
  readonly #source: string
  readonly #marked: Marked
  readonly #roles: readonly Role[]
  readonly #told = new Set<Block>()
  readonly #seen = new Set<number>()
  readonly #definitions = new Map<string, MarkdownOf<'definition'>>()
  #placed: Placed = new Map()

  constructor(source: string, marked: Marked, roles: readonly Role[]) {
    this.#source = source
    this.#marked = marked
    this.#roles = roles
  }

  whole(root: MarkdownOf<'root'>): readonly BodyNode[] {
    this.#define(root)
    this.#placed = placeTagLines(root, this.#marked, this.#roles, (tag, block) => this.#stray(tag, block))
    const children = this.#inside(root)
    // What was left out, such as raw HTML, may have had tags in it.
    for (const role of this.#roles)
      if (role?.kind === 'block')
        for (const tag of role.block.tags) if (!this.#seen.has(tag)) this.#stray(tag, role.block)
    return children
  }

  /** Keeps what references mean. */
  #define(node: MarkdownNode, depth = 0): void {
    if (depth > MOST_LEVELS)
      throw new ExpressionError([
        errorAt(this.#offsetOf(node), `quotes and lists stand ${MOST_LEVELS} deep at most`),
      ])
    if (node.type === 'definition' && !this.#definitions.has(node.identifier))
      this.#definitions.set(node.identifier, node)
    if ('children' in node) for (const child of node.children) this.#define(child, depth + 1)
  }

  #stray(tag: number, block: Block | undefined): void {
    if (block && this.#told.has(block)) return
    if (block) this.#told.add(block)
    const offset = this.#marked.tags[tag]?.offset ?? 0
    if (block === undefined) this.errors.push(errorAt(offset, ...ALONE))
    else
      this.errors.push(
        errorAt(
          offset,
          'a block closes where it opened: around whole paragraphs, list items or table rows, or within one line',
          'write each of its tags on a line of its own, or all of them on one',
        ),
      )
  }

  /** The children of a container with the tags that stood on lines between them. */
  #inside(container: Extract<MarkdownNode, { children: unknown }>): readonly BodyNode[] {
    const placed = this.#placed.get(container)
    const strands: Strand[] = []
    const lift = (index: number) => {
      for (const tag of placed?.get(index) ?? []) {
        if (this.#roles[tag]?.kind === 'mark' && container.type !== 'root') this.#stray(tag, undefined)
        strands.push({ kind: 'tag', tag })
      }
    }
    for (const [index, child] of container.children.entries()) {
      lift(index)
      strands.push(...this.#strands(child))
    }
    lift(container.children.length)
    return this.#woven(strands, true)
  }

  /** `isApart`: the tags of a block may stand on lines of their own. */
  #woven(strands: readonly Strand[], isApart: boolean): readonly BodyNode[] {
    for (const strand of strands) if (strand.kind === 'tag') this.#seen.add(strand.tag)
    return weave(strands, {
      roles: this.#roles,
      isTogether: (tags) => isApart || this.#isOneLine(tags),
      stray: (tag, block) => this.#stray(tag, block),
    })
  }

  #isOneLine(tags: readonly number[]): boolean {
    const { tags: all } = this.#marked
    return tags.every((tag, at) => {
      const next = all[tags[at + 1] ?? -1]
      return next === undefined || !this.#source.slice(all[tag]?.end, next.offset).includes('\n')
    })
  }

  #strands(node: MarkdownNode): readonly Strand[] {
    switch (node.type) {
      case 'text':
        return this.#cut(node.value, true)
      case 'html':
        this.warnings.push(warningAt(this.#offsetOf(node), 'raw HTML is left out', 'write Markdown'))
        return []
      case 'code':
        return [{ kind: 'code', lang: this.#lang(node.lang), children: this.#words(node.value) }]
      case 'inlineCode':
        return [{ kind: 'inlineCode', children: this.#words(node.value) }]
      case 'link':
        return this.#link(node, node.url, node.title)
      case 'linkReference': {
        const definition = this.#definitions.get(node.identifier)
        return definition ? this.#link(node, definition.url, definition.title) : this.#phrasing(node.children)
      }
      case 'image':
        return this.#picture(node, node.url, node.alt)
      case 'imageReference':
        return this.#picture(node, this.#definitions.get(node.identifier)?.url ?? '', node.alt)
      case 'definition':
        this.#constant(node.url, node.title ?? '')
        return []
      default: {
        const element = this.#element(node)
        return element && 'children' in node
          ? [{ kind: 'element', element, children: this.#children(node) }]
          : element
            ? [{ kind: 'element', element, children: [] }]
            : []
      }
    }
  }

  #children(node: Extract<MarkdownNode, { children: unknown }>): readonly BodyNode[] {
    const { type } = node
    const isFlow = type === 'blockquote' || type === 'list' || type === 'listItem' || type === 'table'
    if (isFlow) return this.#inside(node)
    return this.#woven(
      node.children.flatMap((child) => this.#strands(child)),
      false,
    )
  }

  #phrasing(children: readonly MarkdownNode[]): readonly BodyNode[] {
    return this.#woven(
      children.flatMap((child) => this.#strands(child)),
      false,
    )
  }

  #link(
    node: { children: MarkdownNode[] } & MarkdownNode,
    url: string,
    title: string | null | undefined,
  ): readonly Strand[] {
    const children = this.#phrasing(node.children)
    const address = this.#words(url)
    if (isWritten(address) && linkAddress(url) === undefined) {
      this.warnings.push(
        warningAt(
          this.#offsetOf(node),
          'this link leads nowhere: its text alone is shown',
          'links are http, https, mailto and tel',
        ),
      )
      return children
    }
    return [{ kind: 'link', address, title: this.#words(title ?? ''), children }]
  }

  #picture(node: MarkdownNode, url: string, alt: string | null | undefined): readonly Strand[] {
    const address = this.#words(url)
    const isKnown = isWritten(address) ? pictureReference(url) !== undefined : /^(?:media|icon):/.test(url)
    if (!isKnown)
      this.errors.push(
        errorAt(
          this.#offsetOf(node),
          'a picture is media:<id> or icon:<set>:<name>: nothing is fetched',
          'a field shows its picture by {field | image}',
        ),
      )
    return [{ kind: 'picture', address, alt: this.#words(alt ?? '') }]
  }

  /** What is written once for many places has no values of its own. */
  #constant(...texts: readonly string[]): void {
    for (const text of texts)
      for (const tag of this.#marked.cut(text)) {
        if (typeof tag === 'string') continue
        this.#seen.add(tag)
        const offset = this.#marked.tags[tag]?.offset ?? 0
        this.errors.push(
          errorAt(offset, 'nothing is filled in here', 'write the address where the link stands'),
        )
      }
  }

  #lang(lang: string | null | undefined): string | null {
    this.#constant(lang ?? '')
    return lang ?? null
  }

  #words(text: string): readonly BodyNode[] {
    return this.#woven(this.#cut(text, false), false)
  }

  #cut(text: string, isText: boolean): readonly Strand[] {
    return this.#marked.cut(text).map((piece): Strand => {
      if (typeof piece === 'string') return { kind: 'words', text: piece }
      const role = this.#roles[piece]
      const isLost = role?.kind === 'mark' && (role.name === PAGE_BREAK || !isText)
      if (isLost) this.#stray(piece, undefined)
      return { kind: 'tag', tag: piece }
    })
  }

  #element(node: MarkdownNode): Element | undefined {
    switch (node.type) {
      case 'heading':
        return { type: 'heading', depth: node.depth }
      case 'list': {
        const spread = node.children.some(
          (item, at) => this.#isSpread(item.children) || this.#isApart(item, node.children[at + 1]),
        )
        return { type: 'list', ordered: node.ordered === true, start: node.start ?? null, spread }
      }
      case 'listItem':
        return { type: 'listItem', checked: node.checked ?? null, spread: this.#isSpread(node.children) }
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

  #isSpread(nodes: readonly MarkdownNode[]): boolean {
    return nodes.some((node, at) => this.#isApart(node, nodes[at + 1]))
  }

  /** Whether the author left a line empty between two nodes: one where a tag stood does not count. */
  #isApart(node: MarkdownNode, next: MarkdownNode | undefined): boolean {
    if (next === undefined) return false
    // Lines of positions count from 1, those of the text from 0.
    const [from, to] = [node.position?.end.line ?? 0, (next.position?.start.line ?? 0) - 1]
    for (let line = from; line < to; line++) if (this.#marked.isEmpty(line)) return true
    return false
  }

  #offsetOf(node: MarkdownNode): number {
    return this.#marked.sourceOf(node.position?.start.offset ?? 0)
  }
}

const ALONE = ['this stands on a line of its own', undefined] as const

const isWritten = (nodes: readonly BodyNode[]): boolean => nodes.every(({ kind }) => kind === 'words')
