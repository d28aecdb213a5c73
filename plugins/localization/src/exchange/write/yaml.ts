import type { Writing } from './writing.ts'

type Tree = Map<string, Tree | string | null>

/** Writes the texts of a locale in the form of a locale file; a missing one is null. */
export function writeYaml({ locale, entries }: Writing): string {
  const tree: Tree = new Map()
  for (const { key, text } of entries) put(tree, key.split('.'), text ?? null)
  return [`locale: ${quoted(locale)}`, ...linesOf(tree, '')].join('\n') + '\n'
}

/** Where a step of a key is a text already, the rest of the key stands as one step: it is read as the same key. */
function put(tree: Tree, [step = '', ...rest]: readonly string[], text: string | null): void {
  if (rest.length === 0) return void tree.set(step, text)
  const below = tree.get(step) ?? new Map()
  if (!(below instanceof Map)) return void tree.set([step, ...rest].join('.'), text)
  tree.set(step, below)
  put(below, rest, text)
}

function linesOf(tree: Tree, indent: string): readonly string[] {
  return [...tree].flatMap(([step, below]) => {
    const name = `${indent}${/^[A-Za-z_]\w*$/.test(step) && !WORDS.has(step.toLowerCase()) ? step : quoted(step)}:`
    if (below instanceof Map) return [name, ...linesOf(below, `${indent}  `)]
    return [`${name} ${below === null ? 'null' : quoted(below)}`]
  })
}

/** What some readers take for something else than text. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n'])

/** A text of JSON is one of YAML in double quotes, once what is not printable there is escaped. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
