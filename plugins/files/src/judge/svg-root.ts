/** What may stand before the root of a document: white space, declarations, comments, and a document type. */
const BEFORE = /^(?:\s+|<\?[^]*?\?>|<!--[^]*?-->|<!DOCTYPE(?:[^[>"']|"[^"]*"|'[^']*'|\[[^]*?\]\s*(?=>))*>)/i
const ROOT = /^<(?:[\w.-]+:)?svg(?=[\s/>])/

/** Whether the first element of a text is `svg`, as far as its beginning tells. */
export function hasSvgRoot(head: Uint8Array): boolean {
  let rest = decoded(head).replace(/^\uFEFF/, '')
  for (let before = BEFORE.exec(rest); before !== null; before = BEFORE.exec(rest))
    rest = rest.slice(before[0].length)
  return ROOT.test(rest)
}

function decoded(head: Uint8Array): string {
  const encoding = utf16Of(head) ?? 'utf-8'
  return new TextDecoder(encoding).decode(head)
}

/** The encoding of a text that is marked as UTF-16 by its first bytes. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}
