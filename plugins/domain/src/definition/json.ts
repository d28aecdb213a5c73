import type { Source } from './source.ts'
import type { TreeBuilder } from './tree-builder.ts'

/** Reads a text as JSON (RFC 8259). */
export function readJson(source: Source, builder: TreeBuilder): void {
  const reader = new JsonReader(source.text, builder)
  reader.value()
  reader.end()
}

const SPACE = /[ \t\r\n]*/y
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y

class JsonReader {
  readonly #text: string
  readonly #builder: TreeBuilder
  #at = 0

  constructor(text: string, builder: TreeBuilder) {
    this.#text = text
    this.#builder = builder
    this.#skipSpace()
  }

  /** Reads one value; the builder refuses to open more maps and lists than the depth allows. */
  value(): void {
    const first = this.#text[this.#at]
    if (first === '{') this.#map()
    else if (first === '[') this.#list()
    else if (first === '"') {
      const offset = this.#at
      this.#builder.scalar(this.#string(), offset)
    } else this.#literal()
  }

  end(): void {
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the text')
  }

  #map(): void {
    this.#builder.openMap(this.#at)
    this.#members('}', () => {
      const offset = this.#at
      if (this.#text[offset] !== '"') throw this.#unexpected('a key in double quotes')
      this.#builder.key(this.#string(), offset)
      this.#take(':')
      this.value()
    })
    this.#builder.close()
  }

  #list(): void {
    this.#builder.openList(this.#at)
    this.#members(']', () => this.value())
    this.#builder.close()
  }

  /** Reads members between commas, from the opening bracket to `end`. */
  #members(end: string, member: () => void): void {
    this.#advance(this.#at + 1)
    if (this.#text[this.#at] === end) return this.#advance(this.#at + 1)
    for (;;) {
      member()
      if (this.#text[this.#at] === end) return this.#advance(this.#at + 1)
      if (this.#text[this.#at] !== ',') throw this.#unexpected(`',' or '${end}'`)
      this.#advance(this.#at + 1)
    }
  }

  #string(): string {
    const start = this.#at
    let end = this.#text.indexOf('"', start + 1)
    while (end > 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1)
    if (end < 0) throw this.#builder.fatal('The text is not JSON: a string does not end', start)
    this.#advance(end + 1)
    try {
      return JSON.parse(this.#text.slice(start, end + 1))
    } catch {
      throw this.#builder.fatal(
        'The text is not JSON: a string has an unknown escape or a line break in it',
        start,
      )
    }
  }

  #isEscaped(quote: number): boolean {
    let before = quote
    while (this.#text[before - 1] === '\\') before--
    return (quote - before) % 2 === 1
  }

  #literal(): void {
    LITERAL.lastIndex = this.#at
    const found = LITERAL.exec(this.#text)?.[0]
    if (found === undefined) throw this.#unexpected('a value')
    const offset = this.#at
    this.#advance(offset + found.length)
    this.#builder.scalar(JSON.parse(found), offset)
  }

  #take(mark: string): void {
    if (this.#text[this.#at] !== mark) throw this.#unexpected(`'${mark}'`)
    this.#advance(this.#at + 1)
  }

  #advance(to: number): void {
    this.#at = to
    this.#skipSpace()
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at
    SPACE.exec(this.#text)
    this.#at = SPACE.lastIndex
  }

  #unexpected(wanted: string): Error {
    const found = this.#text[this.#at]
    const what = found === undefined ? 'the text ends' : `${JSON.stringify(found)} stands`
    return this.#builder.fatal(`The text is not JSON: ${what} where ${wanted} should be`, this.#at)
  }
}
