import { errorAt, ExpressionError, type Fault, warningAt } from '@svc/expression/contract'
import type { MarkdownNode } from '../trees.ts'
import type { Marked } from './marked.ts'
import type { Block } from './roles.ts'

/** Nobody reads more. */
const MOST_FAULTS = 20

/** What is wrong with a body, each with its place in the source. */
export class BodyFaults {
  readonly #marked: Pick<Marked, 'tags' | 'sourceOf'>
  readonly #errors: Fault[] = []
  readonly #warnings: Fault[] = []
  readonly #told = new Set<Block>()

  constructor(marked: Pick<Marked, 'tags' | 'sourceOf'>) {
    this.#marked = marked
  }

  get warnings(): readonly Fault[] {
    return sorted(this.#warnings)
  }

  error(node: MarkdownNode | undefined, message: string, hint: string): void {
    this.#errors.push(errorAt(this.offsetOf(node), message, hint))
  }

  warn(node: MarkdownNode, message: string, hint: string): void {
    this.#warnings.push(warningAt(this.offsetOf(node), message, hint))
  }

  errorAtTag(tag: number, message: string, hint?: string): void {
    this.#errors.push(errorAt(this.#marked.tags[tag]?.offset ?? 0, message, hint))
  }

  /** A tag that stands where it means nothing; of a block once. */
  stray(tag: number, block: Block | undefined): void {
    if (block === undefined) return this.errorAtTag(tag, 'this stands on a line of its own')
    if (this.#told.has(block)) return
    this.#told.add(block)
    this.errorAtTag(
      tag,
      'a block closes where it opened: around whole paragraphs, list items or table rows, or within one line',
      'write each of its tags on a line of its own, or all of them on one',
    )
  }

  /** Where a node begins in the source; undefined is the whole. */
  offsetOf(node: MarkdownNode | undefined): number {
    return node === undefined ? 0 : this.#marked.sourceOf(node.position?.start.offset ?? 0)
  }

  /** Throws ExpressionError with all that is wrong, if anything is. */
  assertNone(): void {
    if (this.#errors.length > 0) throw new ExpressionError(sorted(this.#errors))
  }
}

/** The first of them in the order of the text. */
const sorted = (faults: readonly Fault[]): readonly Fault[] =>
  faults.toSorted((a, b) => a.offset - b.offset).slice(0, MOST_FAULTS)

/** As many of them as anybody reads. */
export const some = (faults: readonly Fault[]): readonly Fault[] => faults.slice(0, MOST_FAULTS)
