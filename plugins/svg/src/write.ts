import { SVG, type SvgElement, XLINK, XML } from './document.ts'

/** A document as it is written. */
export interface Written {
  readonly text: string
  /** How many bytes of it another text of the same document may go without. */
  readonly spare: number
}

/** Writes a tree of SVG as a document, with names as they are known and all marks of values escaped. */
export function writeSvg(root: SvgElement): Written {
  const parts = ['<svg', ` xmlns="${SVG}"`]
  const writing = { parts, usesXlink: false, spare: 0 }
  writeRest(root, writing)
  if (writing.usesXlink) parts[1] += ` xmlns:xlink="${XLINK}"`
  return { text: parts.join(''), spare: writing.spare + parts[1]!.length }
}

interface Writing {
  readonly parts: string[]
  usesXlink: boolean
  spare: number
}

/** An element behind the name that it begins with. */
function writeRest({ local, attributes, children }: SvgElement, writing: Writing): void {
  const { parts } = writing
  for (const { uri, local: name, value } of attributes) {
    const escaped = escapedValue(value)
    writing.usesXlink ||= uri === XLINK
    writing.spare += escaped.length - value.length + PREFIX[uri]!.length
    parts.push(` ${PREFIX[uri]}${name}="${escaped}"`)
  }
  if (children.length === 0) {
    parts.push('/>')
    return
  }
  parts.push('>')
  for (const child of children) {
    if (typeof child === 'string') {
      const escaped = escapedText(child)
      writing.spare += escaped.length - child.length
      parts.push(escaped)
    } else {
      parts.push(`<${child.local}`)
      writeRest(child, writing)
    }
  }
  parts.push(`</${local}>`)
}

const PREFIX: Readonly<Record<string, string>> = { '': '', [XLINK]: 'xlink:', [XML]: 'xml:' }

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

const escape = (mark: string): string => ESCAPED[mark]!

/** A bare line break becomes a blank in an attribute; in a text a return alone is changed by readers. */
const escapedValue = (value: string): string =>
  /[&<>"\t\n\r]/.test(value) ? value.replace(/[&<>"\t\n\r]/g, escape) : value
const escapedText = (text: string): string => (/[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, escape) : text)
