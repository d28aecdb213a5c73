/** The keys of the language that hold text for people. */
const TEXTS: ReadonlySet<string> = new Set(['label', 'plural', 'message', 'detail', 'description'])
const TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*$/

/** The locales that texts of a definition are written in, in the order in which they are met. */
export function localesOf(definition: unknown): readonly string[] {
  const found = new Set<string>()
  gather(definition, found)
  return [...found]
}

function gather(node: unknown, found: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    if (TEXTS.has(key) && isText(value)) for (const locale of Object.keys(value)) found.add(locale)
    else gather(value, found)
  }
}

/** A field may be called as a key of texts is; what it says of itself is no text by locale. */
const isText = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([tag, text]) => TAG.test(tag) && typeof text === 'string')
