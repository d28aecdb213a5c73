import { isCleanText } from '@svc/kernel'
import { keepPlaces, type Node, type Place, UNRESOLVED } from './document.ts'
import type { Findings } from './findings.ts'
import {
  Budget,
  MAX_DEPTH,
  MAX_ENTRIES,
  TOO_DEEP,
  TOO_LARGE,
  TOO_LONG,
  UNCLEAN,
  VALUE_WEIGHT,
} from './limits.ts'
import { isForbiddenKey } from './names.ts'
import type { DefinitionError, Path } from './problem.ts'
import type { Source } from './source.ts'

const NOT_FINITE = 'The number is not finite'

/** A value that an alias can name, with what each use of it costs. */
export interface Anchored {
  readonly node: Node
  readonly weight: number
  /** Levels of maps and lists in it. */
  readonly height: number
}

/** A map or list that is still open. */
interface Frame {
  readonly node: Record<string, Node> | Node[]
  readonly places: Map<string | number, Place>
  readonly spentBefore: number
  height: number
  /** The key whose value comes next; undefined where a key comes next. */
  key: string | undefined
  keyOffset: number
  /** The value that comes next belongs to a key that was refused. */
  skip: boolean
}

/**
 * Builds a document from the tokens of its text, whatever the format. Refused keys and texts are added to
 * `findings` and left out; a document past the limits throws.
 */
export class TreeBuilder {
  readonly #source: Source
  readonly #findings: Findings
  readonly #budget = new Budget()
  readonly #frames: Frame[] = []
  #root: Node | undefined
  #rootOffset = 0
  #hasDirectives = false
  #hasVariables = false

  constructor(source: Source, findings: Findings) {
    this.#source = source
    this.#findings = findings
  }

  /** The whole document; undefined while nothing was written. */
  get root(): Node | undefined {
    return this.#root
  }

  /** Where the document begins. */
  get rootOffset(): number {
    return this.#rootOffset
  }

  /** Whether a key begins with `$`, as directives do. */
  get hasDirectives(): boolean {
    return this.#hasDirectives
  }

  /** Whether a text may read a variable. */
  get hasVariables(): boolean {
    return this.#hasVariables
  }

  /** Whether the next scalar is a key. */
  get expectsKey(): boolean {
    const frame = this.#frames.at(-1)
    return frame !== undefined && !Array.isArray(frame.node) && frame.key === undefined
  }

  /** The path of the value that comes next, or of the map whose key comes next. */
  get path(): Path {
    return this.#frames.flatMap(({ node, key }) => key ?? (Array.isArray(node) ? node.length : []))
  }

  /** The offset of the key whose value comes next. */
  get keyOffset(): number {
    return this.#frames.at(-1)?.keyOffset ?? 0
  }

  openMap(offset: number): void {
    this.#open(Object.create(null), offset)
  }

  openList(offset: number): void {
    this.#open([], offset)
  }

  /** Ends the map or list that was opened last. */
  close(): Anchored {
    const { node, spentBefore, height } = this.#frames.pop()!
    this.#done(height)
    return { node, weight: this.#budget.spent - spentBefore, height }
  }

  key(text: string, offset: number): void {
    const frame = this.#frames.at(-1)!
    this.#spend(1 + text.length, offset)
    this.#hasDirectives ||= text.startsWith('$')
    const fault = this.#keyFault(text, frame)
    ;[frame.key, frame.keyOffset, frame.skip] = [text, offset, fault !== undefined]
    if (fault) this.report(fault, offset)
  }

  scalar(value: null | boolean | number | string, offset: number): Anchored {
    if (typeof value === 'string' && !isCleanText(value)) return this.refuse(UNCLEAN, offset)
    if (typeof value === 'number' && !Number.isFinite(value)) return this.refuse(NOT_FINITE, offset)
    if (typeof value !== 'string') return this.#scalar(value, VALUE_WEIGHT, offset)
    this.#hasVariables ||= value.includes('${')
    return this.#scalar(value, VALUE_WEIGHT + value.length, offset)
  }

  /** Reports a scalar that cannot be used. */
  refuse(message: string, offset: number, hint?: string): Anchored {
    this.report(message, offset, hint)
    return this.#scalar(UNRESOLVED, VALUE_WEIGHT, offset)
  }

  /** Uses a value once more. */
  shared({ node, weight, height }: Anchored, offset: number): void {
    this.#spend(weight, offset)
    if (this.#frames.length + height > MAX_DEPTH) throw this.fatal(TOO_DEEP, offset)
    this.#put(node, offset)
    this.#done(height)
  }

  /** Notes a problem with the value that comes next. */
  report(message: string, offset: number, hint?: string): void {
    this.#findings.add(this.path, message, this.#source.positionAt(offset), hint)
  }

  /** What to throw where reading cannot go on: the problems so far, and this one. */
  fatal(message: string, offset: number, hint?: string): DefinitionError {
    return this.#findings.fatal(this.path, message, this.#source.positionAt(offset), hint)
  }

  #open(node: Record<string, Node> | Node[], offset: number): void {
    const spentBefore = this.#budget.spent
    this.#spend(VALUE_WEIGHT, offset)
    if (this.#frames.length >= MAX_DEPTH) throw this.fatal(TOO_DEEP, offset)
    const places = new Map<string | number, Place>()
    keepPlaces(node, places)
    this.#put(node, offset)
    this.#frames.push({
      node,
      places,
      spentBefore,
      height: 1,
      key: undefined,
      keyOffset: offset,
      skip: false,
    })
  }

  #scalar(node: Node, weight: number, offset: number): Anchored {
    this.#spend(weight, offset)
    this.#put(node, offset)
    this.#done(0)
    return { node, weight, height: 0 }
  }

  /** Hangs a value into the map or list that is open. */
  #put(value: Node, offset: number): void {
    const frame = this.#frames.at(-1)
    if (frame !== undefined && frame.places.size >= MAX_ENTRIES) throw this.fatal(TOO_LONG, offset)
    if (!frame) [this.#root, this.#rootOffset] = [value, offset]
    else if (Array.isArray(frame.node)) {
      frame.places.set(frame.node.length, { source: this.#source, key: offset, value: offset })
      frame.node.push(value)
    } else if (frame.key !== undefined && !frame.skip) {
      frame.places.set(frame.key, { source: this.#source, key: frame.keyOffset, value: offset })
      frame.node[frame.key] = value
    }
  }

  /** A value of `height` levels is complete: the next one can come. */
  #done(height: number): void {
    const frame = this.#frames.at(-1)
    if (!frame) return
    frame.height = Math.max(frame.height, height + 1)
    frame.key = undefined
  }

  #keyFault(text: string, frame: Frame): string | undefined {
    if (isForbiddenKey(text)) return `The key '${text}' is not allowed`
    if (text === '') return 'A key is empty'
    if (text === '<<') return "The merge key '<<' is not part of YAML 1.2: write $merge or $ref"
    if (!isCleanText(text)) return 'A key has a NUL or half of a surrogate pair'
    if (!Object.hasOwn(frame.node, text)) return undefined
    const first = frame.places.get(text)
    return `The key '${text}' stands here twice; it is first written in line ${this.#source.positionAt(first?.key ?? 0).line}`
  }

  #spend(weight: number, offset: number): void {
    if (!this.#budget.spend(weight)) throw this.fatal(TOO_LARGE, offset)
  }
}
