/** How long the beginning of an svg may be, and its first tag, in characters. */
const PROLOG = 64 * 1024
const TAG = 4096

/** The beginnings of what may stand before the first element, with what each ends in. */
const BEFORE: readonly (readonly [string, string])[] = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!', '>'],
]

/** The first tag of an svg and what comes next, without what stands before it. */
export function rootOfSvg(head: Buffer): Buffer {
  const text = head.toString('utf8', 0, PROLOG).replace(/^\u{FEFF}/u, '')
  let at = 0
  for (;;) {
    while (at < text.length && text[at]!.trim() === '') at += 1
    const before = BEFORE.find(([start]) => text.startsWith(start, at))
    if (before === undefined) return Buffer.from(text.slice(at, at + TAG))
    const end = text.indexOf(before[1], at)
    if (end < 0) return Buffer.alloc(0)
    at = end + before[1].length
  }
}
