import { SaxesParser, type SaxesAttributeNS, type SaxesTagNS } from 'saxes'
import { type SvgAttribute, type SvgElement, type SvgNode, XMLNS } from './document.ts'
import { type Fault, fault } from './fault.ts'

/** What was read, with what of it is no part of the tree. */
export interface Parsed {
  readonly root: SvgElement
  readonly doctypes: number
  readonly comments: number
  readonly instructions: number
}

/** How deep elements may stand inside of each other, the root counted. */
export const MAX_DEPTH = 100
export const MAX_ELEMENTS = 50_000
/** Of one element: nobody draws with more, and telling so many apart takes its time. */
export const MAX_ATTRIBUTES = 1000

/** Longer ones are nobody's, and comparing them with each attribute of an element takes its time. */
const MAX_NAMESPACE = 512

/**
 * Reads XML 1.0 into a tree, or says why it is none. No entity is ever made: what a document type declares in itself is
 * refused. Takes time in proportion to the text.
 */
export function parseXml(text: string): Parsed | Fault {
  // Of a lone half of a pair, parsers and writers make what they like.
  if (!text.isWellFormed()) return fault('malformed', { line: 1, column: 1, reason: 'broken characters' })
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true })
  const reading = new Reading()
  parser.on('error', ({ message }) => {
    const { line, column } = parser
    const reason = message
      .replace(/^\d+:\d+: /, '')
      .replace(/\.$/, '')
      .slice(0, MAX_REASON)
    throw new Refusal(fault('malformed', { line, column, reason }))
  })
  parser.on('doctype', (declared) => reading.doctype(declared))
  parser.on('comment', () => void (reading.comments += 1))
  parser.on('processinginstruction', () => void (reading.instructions += 1))
  parser.on('attribute', ({ name, value }) => {
    reading.attribute()
    if (value.length > MAX_NAMESPACE && /^xmlns(?::|$)/.test(name))
      throw new Refusal(fault('namespace', { limit: MAX_NAMESPACE }))
  })
  parser.on('opentag', (tag) => reading.open(tag))
  parser.on('text', (one) => reading.text(one))
  parser.on('cdata', (one) => reading.text(one))
  parser.on('closetag', () => reading.close())
  try {
    parser.write(text).close()
  } catch (error) {
    if (error instanceof Refusal) return error.fault
    throw error
  }
  const { root, doctypes, comments, instructions } = reading
  return { root: root!, doctypes, comments, instructions }
}

const MAX_REASON = 100

/** Ends the reading. */
class Refusal extends Error {
  readonly fault: Fault

  constructor(why: Fault) {
    super()
    this.fault = why
  }
}

interface Open extends SvgElement {
  readonly children: SvgNode[]
}

/** The tree as far as it was read. */
class Reading {
  root: Open | undefined
  doctypes = 0
  comments = 0
  instructions = 0
  readonly #open: Open[] = []
  #elements = 0
  #attributes = 0

  doctype(declared: string): void {
    // A bracket in quotes is part of an address.
    if (declared.replace(/"[^"]*"|'[^']*'/g, '').includes('[')) throw new Refusal(fault('doctype'))
    this.doctypes += 1
  }

  open({ local, uri, attributes }: SaxesTagNS): void {
    this.#elements += 1
    if (this.#open.length === MAX_DEPTH) throw new Refusal(fault('depth', { limit: MAX_DEPTH }))
    if (this.#elements > MAX_ELEMENTS) throw new Refusal(fault('elements', { limit: MAX_ELEMENTS }))
    const element: Open = { uri, local, attributes: named(attributes), children: [] }
    this.#attributes = 0
    this.root ??= element
    this.#open.at(-1)?.children.push(element)
    this.#open.push(element)
  }

  attribute(): void {
    this.#attributes += 1
    if (this.#attributes > MAX_ATTRIBUTES) throw new Refusal(fault('attributes', { limit: MAX_ATTRIBUTES }))
  }

  /** Outside of the root there is blank text alone, or the parser has refused it. */
  text(text: string): void {
    if (text !== '') this.#open.at(-1)?.children.push(text)
  }

  close(): void {
    this.#open.pop()
  }
}

/** The attributes but for those that declare namespaces, which names have in them already. */
const named = (attributes: Readonly<Record<string, SaxesAttributeNS>>): readonly SvgAttribute[] =>
  Object.values(attributes).filter(({ uri }) => uri !== XMLNS)
