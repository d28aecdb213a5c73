/** A language range and how much it is wanted, from 0 (not at all) to 1. */
export interface Wanted {
  readonly range: string
  readonly weight: number
}

/** Far more than anybody reads; the header is the client's. */
const MOST = 20
const LONGEST = 1000

const ENTRY =
  /^(\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)(?:[ \t]*;[ \t]*[qQ]=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

/**
 * Reads `Accept-Language` (RFC 9110, section 12.5.4): the ranges by their weight, equal ones as they are written.
 * A header that is not well formed says nothing.
 */
export function readAcceptLanguage(header: string): readonly Wanted[] {
  const wanted: Wanted[] = []
  for (const part of readable(header).split(',').slice(0, MOST)) {
    const entry = part.trim()
    if (entry === '') continue
    const match = ENTRY.exec(entry)
    if (match === null) return []
    wanted.push({ range: match[1]!, weight: match[2] === undefined ? 1 : Number(match[2]) })
  }
  return wanted.toSorted((a, b) => b.weight - a.weight)
}

/** The header as far as it is read, without an entry that would be cut. */
const readable = (header: string): string =>
  header.length > LONGEST ? header.slice(0, Math.max(0, header.lastIndexOf(',', LONGEST))) : header

/** A tag, and then the shorter ones that it falls back to, in lower case (RFC 4647, section 3.4). */
export function fallbacks(tag: string): readonly string[] {
  const parts = tag.toLowerCase().split('-')
  const found: string[] = []
  for (; parts.length > 0; parts.pop()) {
    // A single letter or digit introduces what follows it, and means nothing alone.
    if (parts.at(-1)!.length > 1 || parts.length === 1) found.push(parts.join('-'))
  }
  return found
}
