import {
  createFiller,
  type EvaluationContext,
  type Filler,
  type Filling,
  type Made,
  TEXT_LIMITS,
  TextLimitError,
  type ValuePart,
  wordsOf,
} from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import { linkAddress, pictureReference, type PictureReference } from '../address.ts'
import { picturesIn, widthOf } from '../body/pipes.ts'
import type { Body, BodyNode } from '../body/template.ts'
import { linesOf, withoutForbidden } from '../characters.ts'
import type { Block, DocumentNode, Inline, ListItem } from '../document.ts'
import { renderFailed } from '../errors.ts'
import { elementOf, joined, linkOf } from './elements.ts'

/** More would make a file that nobody opens. */
export const MOST_PICTURES = 50

/** Fills the trees of one document: its limits are those of all of them together. Nothing of a value is parsed. */
export class DocumentFiller {
  /** What the numbers of pictures mean. */
  readonly pictures: PictureReference[] = []
  readonly #filler: Filler
  /** Of which part of the template a list was made. */
  readonly #origins = new WeakMap<DocumentNode, BodyNode>()
  /** The items of lists that are put together. */
  readonly #items = new WeakMap<DocumentNode, ListItem[]>()
  #bytes = 0
  #restedAt = performance.now()

  constructor(filling: Filling) {
    this.#filler = createFiller(filling)
  }

  /** The blocks of a body. Throws TextLimitError, and RENDER_FAILED for too many pictures. */
  async blocks({ children }: Body, context: EvaluationContext): Promise<readonly Block[]> {
    // What stands outermost in a body is blocks alone.
    return (await this.#driven(this.#fill(children, context))) as readonly Block[]
  }

  /** The text of a line. */
  async line({ children }: Body, context: EvaluationContext): Promise<readonly Inline[]> {
    return joined((await this.#driven(this.#fill(children, context))) as readonly Inline[])
  }

  /** The number of a picture that stands in the document. */
  picture(reference: PictureReference): number {
    if (this.pictures.length === MOST_PICTURES) throw renderFailed(`has more than ${MOST_PICTURES} pictures`)
    return this.pictures.push(reference) - 1
  }

  /** Goes on in slices, so that others have their turns. */
  async #driven<T>(steps: Generator<void, T>): Promise<T> {
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      await new Promise<void>((resolve) => setImmediate(resolve))
      this.#restedAt = performance.now()
    }
  }

  *#fill(nodes: readonly BodyNode[], context: EvaluationContext): Generator<void, readonly DocumentNode[]> {
    const made: DocumentNode[] = []
    for (const node of nodes) {
      if (node.kind === 'each') {
        let passes = 0
        for (const pass of this.#filler.passes(node.part, context)) {
          passes += 1
          this.#append(made, yield* this.#fill(node.body, pass))
          if (performance.now() - this.#restedAt > SLICE_MS) yield
        }
        if (passes === 0) this.#append(made, yield* this.#fill(node.otherwise, context))
      } else if (node.kind === 'if') {
        const body = node.bodies[this.#filler.branch(node.part, context)] ?? node.otherwise
        this.#append(made, yield* this.#fill(body, context))
      } else if (node.kind === 'element') {
        const children = yield* this.#fill(node.children, context)
        const element = elementOf(node.element, children)
        if (element?.type === 'list') this.#origins.set(element, node)
        if (element) this.#append(made, [element])
      } else if (node.kind === 'link') {
        const url = linkAddress(this.#plain(node.address, context))
        const title = this.#plain(node.title, context)
        const children = yield* this.#fill(node.children, context)
        this.#append(made, url === undefined ? children : [linkOf(url, title, children)])
      } else this.#append(made, this.#leaf(node, context))
    }
    return made
  }

  #leaf(node: Leaf, context: EvaluationContext): readonly DocumentNode[] {
    switch (node.kind) {
      case 'words':
        return [{ type: 'text', value: this.#counted(node.text) }]
      case 'value':
        return this.#value(node.part, context)
      case 'mark':
        return [{ type: node.name === 'page' || node.name === 'pages' ? node.name : 'pageBreak' }]
      case 'code':
        return [{ type: 'code', lang: node.lang, value: this.#plain(node.children, context) }]
      case 'inlineCode':
        return [{ type: 'inlineCode', value: this.#plain(node.children, context) }]
      case 'picture': {
        const alt = this.#plain(node.alt, context)
        const reference = pictureReference(this.#plain(node.address, context))
        return reference
          ? [{ type: 'picture', number: this.picture(reference), alt, width: null }]
          : [{ type: 'text', value: alt }]
      }
    }
  }

  #value(part: ValuePart, context: EvaluationContext): readonly Inline[] {
    const { value, made } = this.#filler.value(part, context)
    if (made?.what === 'image' && picturesIn(value).length > 0) return this.#images(value, made)
    const words = this.#counted(wordsOf(value))
    if (made?.what === 'markdown') return words === '' ? [] : [{ type: 'markdown', value: words }]
    return linesOf(words).flatMap((line, at): Inline[] => [
      ...(at === 0 ? [] : [{ type: 'break' } as const]),
      ...(line === '' ? [] : [{ type: 'text', value: line } as const]),
    ])
  }

  #images(value: Value, { args }: Made): readonly Inline[] {
    return picturesIn(value).map((one) => ({
      type: 'picture',
      number: this.picture({ from: 'value', value: one }),
      alt: '',
      width: widthOf(args),
    }))
  }

  /** Text alone. */
  #plain(nodes: readonly BodyNode[], context: EvaluationContext): string {
    let text = ''
    for (const node of nodes) {
      if (node.kind === 'words') text += this.#counted(node.text)
      else if (node.kind === 'value')
        text += linesOf(this.#counted(wordsOf(this.#filler.value(node.part, context).value))).join('\n')
      else if (node.kind === 'if')
        text += this.#plain(node.bodies[this.#filler.branch(node.part, context)] ?? node.otherwise, context)
      else if (node.kind === 'each') {
        let passes = 0
        for (const pass of this.#filler.passes(node.part, context)) {
          passes += 1
          text += this.#plain(node.body, pass)
        }
        if (passes === 0) text += this.#plain(node.otherwise, context)
      }
    }
    return text
  }

  /** What a loop makes of one list is one list. */
  #append(made: DocumentNode[], more: readonly DocumentNode[]): void {
    for (const one of more) {
      const last = made.at(-1)
      const origin = this.#origins.get(one)
      if (
        origin === undefined ||
        last?.type !== 'list' ||
        one.type !== 'list' ||
        this.#origins.get(last) !== origin
      ) {
        made.push(one)
        continue
      }
      const items = this.#items.get(last) ?? [...last.children]
      for (const item of one.children) items.push(item)
      if (this.#items.has(last)) continue
      const whole = { ...last, children: items }
      this.#origins.set(whole, origin)
      this.#items.set(whole, items)
      made[made.length - 1] = whole
    }
  }

  #counted(text: string): string {
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > TEXT_LIMITS.bytes) throw new TextLimitError('bytes')
    return withoutForbidden(text)
  }
}

/** How long others wait at most. */
const SLICE_MS = 10

type Leaf = Exclude<BodyNode, { kind: 'each' | 'if' | 'element' | 'link' }>
