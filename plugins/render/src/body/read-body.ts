import type { MarkdownNode, MarkdownOf } from '../trees.ts'
import { linkOf, pictureOf } from './addresses.ts'
import { type Definitions, definitionsIn } from './definitions.ts'
import { elementOf } from './elements.ts'
import type { BodyFaults } from './faults.ts'
import type { Marked } from './marked.ts'
import { type Placed, placeTagLines } from './place.ts'
import type { Role } from './roles.ts'
import type { BodyNode } from './template.ts'
import { type Strand, weave } from './weave.ts'

/** The word that begins a page. */
export const PAGE_BREAK = 'pageBreak'

/** A text whose tags were lifted out of it, and what they are. */
export interface TaggedText {
  readonly source: string
  readonly marked: Marked
  readonly roles: readonly Role[]
}

/** Puts the tags of a text back into the tree of its Markdown. What is wrong is told to `faults`. */
export const readBody = (
  root: MarkdownOf<'root'>,
  text: TaggedText,
  faults: BodyFaults,
): readonly BodyNode[] => new BodyReader(root, text, faults).whole()

/** Nodes with others inside. */
type Parent = Extract<MarkdownNode, { children: unknown }>

class BodyReader {
  readonly #root: MarkdownOf<'root'>
  readonly #text: TaggedText
  readonly #faults: BodyFaults
  readonly #definitions: Definitions
  readonly #placed: Placed
  /** The tags that have their place. */
  readonly #seen = new Set<number>()

  constructor(root: MarkdownOf<'root'>, text: TaggedText, faults: BodyFaults) {
    this.#root = root
    this.#text = text
    this.#faults = faults
    this.#definitions = definitionsIn(root, (node) => faults.offsetOf(node))
    this.#placed = placeTagLines(root, text.marked, text.roles, (tag, block) => faults.stray(tag, block))
  }

  whole(): readonly BodyNode[] {
    const children = this.#inside(this.#root)
    // What was left out, such as raw HTML, may have had tags in it.
    for (const role of this.#text.roles)
      if (role?.kind === 'block')
        for (const tag of role.block.tags) if (!this.#seen.has(tag)) this.#faults.stray(tag, role.block)
    return children
  }

  /** The children of a container with the tags that stood on lines between them. */
  #inside(container: Parent): readonly BodyNode[] {
    const placed = this.#placed.get(container)
    const strands: Strand[] = []
    const lift = (index: number) => {
      for (const tag of placed?.get(index) ?? []) {
        if (this.#text.roles[tag]?.kind === 'mark' && container.type !== 'root')
          this.#faults.stray(tag, undefined)
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
      roles: this.#text.roles,
      isTogether: (tags) => isApart || this.#isOneLine(tags),
      stray: (tag, block) => this.#faults.stray(tag, block),
    })
  }

  #isOneLine(tags: readonly number[]): boolean {
    const { marked, source } = this.#text
    return tags.every((tag, at) => {
      const next = marked.tags[tags[at + 1] ?? -1]
      return next === undefined || !source.slice(marked.tags[tag]?.end, next.offset).includes('\n')
    })
  }

  #strands(node: MarkdownNode): readonly Strand[] {
    switch (node.type) {
      case 'text':
        return this.#cut(node.value, true)
      case 'html':
        this.#faults.warn(node, 'raw HTML is left out', 'write Markdown')
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
        const element = elementOf(node, this.#text.marked)
        if (element === undefined) return []
        return [{ kind: 'element', element, children: 'children' in node ? this.#children(node) : [] }]
      }
    }
  }

  #children(node: Parent): readonly BodyNode[] {
    const { type } = node
    const isFlow = type === 'blockquote' || type === 'list' || type === 'listItem' || type === 'table'
    return isFlow ? this.#inside(node) : this.#phrasing(node.children)
  }

  #phrasing(children: readonly MarkdownNode[]): readonly BodyNode[] {
    return this.#woven(
      children.flatMap((child) => this.#strands(child)),
      false,
    )
  }

  #link(node: Parent, url: string, title: string | null | undefined): readonly Strand[] {
    const children = this.#phrasing(node.children)
    const [address, shown] = [this.#words(url), this.#words(title ?? '')]
    return linkOf(node, { url, address, title: shown, children }, this.#faults)
  }

  #picture(node: MarkdownNode, url: string, alt: string | null | undefined): readonly Strand[] {
    const [address, shown] = [this.#words(url), this.#words(alt ?? '')]
    return [pictureOf(node, { url, address, alt: shown }, this.#faults)]
  }

  /** What is written once for many places has no values of its own. */
  #constant(...texts: readonly string[]): void {
    for (const text of texts)
      for (const tag of this.#text.marked.cut(text)) {
        if (typeof tag === 'string') continue
        this.#seen.add(tag)
        this.#faults.errorAtTag(tag, 'nothing is filled in here', 'write the address where the link stands')
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
    return this.#text.marked.cut(text).map((piece): Strand => {
      if (typeof piece === 'string') return { kind: 'words', text: piece }
      const role = this.#text.roles[piece]
      const isLost = role?.kind === 'mark' && (role.name === PAGE_BREAK || !isText)
      if (isLost) this.#faults.stray(piece, undefined)
      return { kind: 'tag', tag: piece }
    })
  }
}
