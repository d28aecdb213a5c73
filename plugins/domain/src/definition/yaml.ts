import {
  boolCoreTag,
  type CollectionStyle,
  EVENT_ID,
  type Event,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  strTag,
  YAMLException,
} from 'js-yaml'
import { MAX_DEPTH, TOO_DEEP } from './limits.ts'
import type { Source } from './source.ts'
import type { Anchored, TreeBuilder } from './tree-builder.ts'
import { quoted } from './names.ts'

/**
 * Reads a text as YAML 1.2 with the core schema: dates, binary data and merge keys have no meaning. The parser
 * yields a flat list of tokens and stops at the deepest nesting allowed; values are built from it afterwards,
 * so that neither nesting nor aliases cost more than the limits.
 */
export function readYaml(source: Source, builder: TreeBuilder): void {
  const reader = new YamlReader(source, builder)
  for (const token of tokensOf(source, builder)) reader.take(token)
}

type Scalar = null | boolean | number | string
type Collection = Extract<Event, { start: number; style: CollectionStyle }>
type Marks = Pick<ScalarEvent, 'anchorStart' | 'anchorEnd' | 'tagStart' | 'tagEnd'>

const TAGS = { null: nullCoreTag, bool: boolCoreTag, int: intCoreTag, float: floatCoreTag, str: strTag }
/** What a text without quotes can be, before it is text. */
const PLAIN = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag]
const TAG_SHAPE = /^(?:!!|!<tag:yaml\.org,2002:)([a-z]+)>?$/
const LEAVE_OUT = 'Leave the tag out'

class YamlReader {
  readonly #source: Source
  readonly #builder: TreeBuilder
  readonly #anchors = new Map<string, Anchored>()
  /** The anchor of each document, map and list that is open; a document has none. */
  readonly #open: { readonly anchor: string | undefined; readonly document: boolean }[] = []

  constructor(source: Source, builder: TreeBuilder) {
    this.#source = source
    this.#builder = builder
  }

  take(token: Event): void {
    switch (token.type) {
      case EVENT_ID.DOCUMENT:
        this.#open.push({ anchor: undefined, document: true })
        return
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        return this.#collection(token)
      case EVENT_ID.SCALAR:
        return this.#scalar(token)
      case EVENT_ID.ALIAS:
        return this.#alias(this.#source.text.slice(token.anchorStart, token.anchorEnd), token.anchorStart - 1)
      case EVENT_ID.POP:
        return this.#close()
    }
  }

  #collection(token: Collection): void {
    const isMap = token.type === EVENT_ID.MAPPING
    this.#assertOnlyDocument(token.start)
    if (this.#builder.expectsKey)
      throw this.#builder.fatal('A key is a map or a list: write text', token.start)
    const tag = this.#tagOf(token)
    if (tag !== undefined && tag !== (isMap ? 'map' : 'seq'))
      this.#builder.report(this.#tagFault(token), token.tagStart, LEAVE_OUT)
    if (isMap) this.#builder.openMap(token.start)
    else this.#builder.openList(token.start)
    this.#open.push({ anchor: this.#anchorOf(token), document: false })
  }

  #scalar(token: ScalarEvent): void {
    const offset = token.valueStart < 0 ? this.#builder.keyOffset : token.valueStart
    this.#assertOnlyDocument(offset)
    const text = getScalarValue(this.#source.text, token)
    if (this.#builder.expectsKey) {
      this.#builder.key(text, offset)
      return this.#remember(token, { node: text, weight: 1 + text.length, height: 0 })
    }
    const value = this.#valueOf(text, token)
    this.#remember(
      token,
      value === undefined
        ? this.#builder.refuse(this.#tagFault(token), offset, LEAVE_OUT)
        : this.#builder.scalar(value, offset),
    )
  }

  #alias(name: string, offset: number): void {
    this.#assertOnlyDocument(offset)
    const target = this.#anchors.get(name)
    if (!target)
      throw this.#builder.fatal(
        `The alias *${name} names no value that is complete above it`,
        offset,
        `For text, quote it: '*${name}'`,
      )
    if (!this.#builder.expectsKey) return this.#builder.shared(target, offset)
    if (typeof target.node !== 'string') throw this.#builder.fatal('A key is no text', offset)
    this.#builder.key(target.node, offset)
  }

  #close(): void {
    const opened = this.#open.pop()
    if (!opened || opened.document) return
    const closed = this.#builder.close()
    if (opened.anchor !== undefined) this.#anchors.set(opened.anchor, closed)
  }

  /** Undefined where the text does not fit its tag. */
  #valueOf(text: string, token: ScalarEvent): Scalar | undefined {
    const tag = this.#tagOf(token)
    if (tag === undefined) return token.style === SCALAR_STYLE.PLAIN ? plainValue(text) : text
    const known = Object.entries(TAGS).find(([name]) => name === tag)?.[1]
    const value = known?.resolve(text, true, tag) ?? (known === nullCoreTag ? null : NOT_RESOLVED)
    return typeof value === 'symbol' ? undefined : value
  }

  /** The name of an explicit tag: `!!int` and `!<tag:yaml.org,2002:int>` are `int`, `!` is `str`. */
  #tagOf({ tagStart, tagEnd }: Marks): string | undefined {
    if (tagStart < 0) return undefined
    const written = this.#source.text.slice(tagStart, tagEnd)
    return written === '!' ? 'str' : (TAG_SHAPE.exec(written)?.[1] ?? written)
  }

  #anchorOf({ anchorStart, anchorEnd }: Marks): string | undefined {
    return anchorStart < 0 ? undefined : this.#source.text.slice(anchorStart, anchorEnd)
  }

  #remember(token: Marks, value: Anchored): void {
    const anchor = this.#anchorOf(token)
    if (anchor !== undefined) this.#anchors.set(anchor, value)
  }

  #tagFault({ tagStart, tagEnd }: Marks): string {
    return `The tag ${quoted(this.#source.text.slice(tagStart, tagEnd))} does not fit here`
  }

  #assertOnlyDocument(offset: number): void {
    if (this.#open.length === 1 && this.#builder.root !== undefined)
      throw this.#builder.fatal('The text holds several documents', offset, 'Remove the line ---')
  }
}

function plainValue(text: string): Scalar {
  for (const tag of PLAIN) {
    const value = tag.resolve(text, false, tag.tagName)
    if (typeof value !== 'symbol') return value
  }
  return text
}

function tokensOf(source: Source, builder: TreeBuilder): readonly Event[] {
  try {
    return parseEvents(source.text, { maxDepth: MAX_DEPTH })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw builder.fatal('The text is not YAML', 0)
    const offset = error.mark?.position ?? 0
    if (error.reason.includes('maxDepth')) throw builder.fatal(TOO_DEEP, offset)
    throw builder.fatal(`The text is not YAML: ${error.reason}`, offset, hintFor(error.reason))
  }
}

/** A star begins an alias where no quotes are around it, and everybody is written by one. */
const hintFor = (reason: string): string | undefined =>
  reason.includes('alias node') ? "For text, quote it: '*'" : undefined
