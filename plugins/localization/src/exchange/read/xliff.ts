import { setImmediate } from 'node:timers/promises'
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { assertRoom, type ReadFile, type ReadText, Unreadable } from './read-file.ts'

/** How many characters are read before others get their turn. */
const SLICE = 64 * 1024
/** How deep elements may stand inside of each other. */
const MAX_DEPTH = 100

/** Reads XLIFF 1.2 or 2.0; no entity is ever made. Throws Unreadable. */
export async function readXliff(text: string): Promise<ReadFile> {
  const encoding = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1]
  if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8')
    throw new Unreadable(
      `The file says that it is written in '${encoding.slice(0, 50)}', and not in UTF-8`,
      1,
    )
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true })
  const reading = new Reading(() => parser.line)
  parser.on('error', ({ message }) => {
    const reason = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')
    throw new Unreadable(`The file is not XML: ${reason.slice(0, 200)}`, parser.line)
  })
  parser.on('doctype', () => reading.refuse('A document type is not read'))
  parser.on('opentag', (tag) => reading.open(tag))
  parser.on('text', (one) => reading.text(one))
  parser.on('cdata', (one) => reading.text(one))
  parser.on('closetag', () => reading.close())
  for (let from = 0; from < text.length; from += SLICE) {
    parser.write(text.slice(from, from + SLICE))
    await setImmediate()
  }
  parser.close()
  return reading.file()
}

/** The elements of both versions that matter, by what they mean. */
const UNITS: ReadonlySet<string> = new Set(['trans-unit', 'unit'])
/** Further suggestions, notes and data beside a text: nothing in them is the text. */
const ASIDE: ReadonlySet<string> = new Set([
  'alt-trans',
  'notes',
  'note',
  'originalData',
  'context-group',
  'count-group',
  'prop-group',
  'seg-source',
  'bin-unit',
])
/** Marks about a text, which are no part of it. */
const TRANSPARENT: ReadonlySet<string> = new Set(['mrk', 'sm', 'em'])
/** States of a translation that is not done. */
const DRAFT = /^(?:new|needs-.*|initial)$/

const ORDER = /^[1-9]\d{0,8}$/

/** A unit while it is read. */
interface Unit {
  readonly key: string
  readonly line: number
  /** In the order of their sources; of 1.2 there is one. */
  readonly parts: Part[]
  isDraft: boolean
  readonly inSource: string[]
  readonly inTarget: string[]
}

/** A segment of a unit, or what stands between two and need not be translated (XLIFF 2.0, section 4.2.2.4). */
interface Part {
  readonly isIgnorable: boolean
  source: string
  target: string | undefined
  /** The place of the target among those of the unit. */
  order: number
}

class Reading {
  readonly #lineOf: () => number
  readonly #texts: ReadText[] = []
  #depth = 0
  /** Of the last element that began. */
  #line = 1
  /** The depth of an element that is passed over with all that is in it. */
  #aside = 0
  #locale: string | undefined
  #sourceLocale: string | undefined
  #isXliff = false
  #unit: Unit | undefined
  #place: 'source' | 'target' | undefined
  /** The depth of the source or target at hand. */
  #placeDepth = 0

  constructor(lineOf: () => number) {
    this.#lineOf = lineOf
  }

  refuse(reason: string, line = this.#lineOf()): never {
    throw new Unreadable(reason, line)
  }

  open(tag: SaxesTagNS): void {
    this.#depth += 1
    this.#line = this.#lineOf()
    if (this.#depth > MAX_DEPTH) this.refuse(`Elements stand more than ${MAX_DEPTH} deep`)
    if (this.#aside > 0) return
    const { local } = tag
    if (this.#depth === 1) return this.#root(tag)
    if (local === 'file') this.#languages(tag)
    else if (this.#unit === undefined) {
      if (UNITS.has(local)) this.#begin(tag)
    } else if (this.#place !== undefined) this.#inline(tag)
    else if (ASIDE.has(local)) this.#aside = this.#depth
    else if (local === 'segment' || local === 'ignorable') this.#part(tag, this.#unit)
    else if (local === 'source' || local === 'target') this.#begins(local, tag, this.#unit)
  }

  text(text: string): void {
    if (this.#unit === undefined || this.#place === undefined || this.#aside > 0) return
    const part = partOf(this.#unit)
    if (this.#place === 'source') part.source += text
    else part.target = (part.target ?? '') + text
  }

  close(): void {
    if (this.#aside === this.#depth) this.#aside = 0
    else if (this.#aside === 0) {
      if (this.#place !== undefined && this.#depth === this.#placeDepth) this.#place = undefined
      else if (this.#unit !== undefined && this.#depth === this.#unitDepth) this.#end(this.#unit)
    }
    this.#depth -= 1
  }

  file(): ReadFile {
    if (!this.#isXliff) this.refuse('The file is XML, and no XLIFF', this.#line)
    if (this.#locale === undefined)
      this.refuse('The file does not say which language its targets are in', this.#line)
    return { format: 'xliff', locale: this.#locale, sourceLocale: this.#sourceLocale, texts: this.#texts }
  }

  #unitDepth = 0

  #root(tag: SaxesTagNS): void {
    const version = attribute(tag, 'version') ?? ''
    if (tag.local !== 'xliff') this.refuse('The file is XML, and no XLIFF')
    if (!/^(?:1\.2|2\.[01])$/.test(version))
      this.refuse(`XLIFF ${version.slice(0, 20)} is not read: write 1.2 or 2.0`)
    this.#isXliff = true
    this.#languages(tag)
  }

  #languages(tag: SaxesTagNS): void {
    const locale = attribute(tag, 'target-language') ?? attribute(tag, 'trgLang')
    this.#sourceLocale ??= attribute(tag, 'source-language') ?? attribute(tag, 'srcLang')
    if (locale !== undefined && this.#locale !== undefined && locale !== this.#locale)
      this.refuse('The file has targets in more than one language')
    this.#locale ??= locale
  }

  #begin(tag: SaxesTagNS): void {
    const name = tag.local === 'unit' ? attribute(tag, 'name') : undefined
    const key = name ?? attribute(tag, 'id')
    if (key === undefined) this.refuse('A unit has no id')
    this.#unitDepth = this.#depth
    this.#unit = {
      key,
      line: this.#lineOf(),
      parts: [],
      isDraft: false,
      inSource: [],
      inTarget: [],
    }
  }

  #part(tag: SaxesTagNS, unit: Unit): void {
    beginPart(unit, tag.local === 'ignorable')
    unit.isDraft ||= DRAFT.test(attribute(tag, 'state') ?? '')
  }

  #begins(place: 'source' | 'target', tag: SaxesTagNS, unit: Unit): void {
    const part = partOf(unit)
    if (place === 'target') {
      if (part.target !== undefined) this.refuse(`'${unit.key.slice(0, 200)}' has two targets`)
      part.target = ''
      const order = attribute(tag, 'order') ?? ''
      if (ORDER.test(order)) part.order = Number(order)
      unit.isDraft ||= DRAFT.test(attribute(tag, 'state') ?? '')
    }
    this.#place = place
    this.#placeDepth = this.#depth
  }

  /** An element inside of a text: a character by its number, a mark that means nothing, or markup. */
  #inline(tag: SaxesTagNS): void {
    const { local } = tag
    const unit = this.#unit!
    if (local === 'cp') return this.text(String.fromCodePoint(codePointOf(attribute(tag, 'hex'), this)))
    if (TRANSPARENT.has(local)) return
    const found = this.#place === 'source' ? unit.inSource : unit.inTarget
    found.push(`${local} ${attribute(tag, 'id') ?? ''}`)
    const stands = attribute(tag, 'equiv-text') ?? attribute(tag, 'equiv')
    if (stands !== undefined) this.text(stands)
  }

  #end({ key, line, parts, isDraft, inSource, inTarget }: Unit): void {
    this.#unit = undefined
    const segments = parts.filter(({ isIgnorable }) => !isIgnorable)
    if (segments.every(({ target }) => target === undefined)) return
    assertRoom(this.#texts.length, line)
    this.#texts.push({
      key,
      text: parts
        .toSorted((one, other) => one.order - other.order)
        .map(({ target, source }) => target ?? source)
        .join(''),
      line,
      source: parts.map(({ source }) => source).join(''),
      isDraft: isDraft || segments.some(({ target }) => target === undefined),
      hasMarkup: inTarget.some((one) => !inSource.includes(one)),
    })
  }
}

function beginPart({ parts }: Unit, isIgnorable = false): Part {
  const part = { isIgnorable, source: '', target: undefined, order: parts.length + 1 }
  parts.push(part)
  return part
}

/** The part at hand. */
const partOf = (unit: Unit): Part => unit.parts.at(-1) ?? beginPart(unit)

/** The value of an attribute without a namespace. */
const attribute = ({ attributes }: SaxesTagNS, name: string): string | undefined => attributes[name]?.value

function codePointOf(hex: string | undefined, reading: Reading): number {
  const code = /^[0-9A-Fa-f]{1,6}$/.test(hex ?? '') ? Number.parseInt(hex!, 16) : Number.NaN
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? code : reading.refuse('A character is named that there is not')
}
