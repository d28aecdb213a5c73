import { createHash } from 'node:crypto'
import pluralize from 'pluralize'

/** What both stores take as a name, in bytes; all names here are ASCII. */
const MAX_BYTES = 63

/** `OrderItem`, `order_item` and `orderItem` as `order-item`; `HTTPServer` as `http-server`. */
export const kebabCase = (name: string): string => words(name).join('-')

/** `OrderItem` as `order_item`. */
export const snakeCase = (name: string): string => words(name).join('_')

/** The plural of a name for people, in the name's own spelling: `OrderItem` as `OrderItems`. */
export function plural(name: string): string {
  const trimmed = name.replace(/_+$/, '')
  const last = words(trimmed).at(-1) ?? ''
  const word = trimmed.slice(trimmed.length - last.length)
  return trimmed.slice(0, trimmed.length - last.length) + spelledLike(word, pluralWord(last))
}

/** The last segment of a collection's path: `OrderItem` as `order-items`. */
export function pluralSegment(name: string): string {
  const all = words(name)
  return [...all.slice(0, -1), pluralWord(all.at(-1) ?? '')].join('-')
}

/** The table of a resource: `shop_order_item`. */
export const tableName = (domain: string, resource: string): string =>
  bounded(`${snakeCase(domain)}_${snakeCase(resource)}`)

/** The table between two resources, by the name that the relationship gives it: `shop_post_tag`. */
export const junctionName = tableName

/**
 * The name of an index or a constraint: a table, then columns, then its kind. Parts are joined by two
 * underscores, which no table's name contains, so that two tables never make the same name; where a part makes
 * that unsure, a hash of all parts decides.
 */
export function boundedName(parts: readonly string[]): string {
  const name = parts.join('__')
  return parts.some((part) => /^_|__|_$/.test(part)) ? hashed(name, JSON.stringify(parts)) : bounded(name)
}

/** The column of what is derived from a field. No field has a name that begins so. */
export const derivedColumnName = (field: string, derivation: string): string =>
  bounded(`$${field}$${derivation}`)

/** Whether a column is one of those: the engine's own have one sign alone. */
export const isDerivedColumn = ({ name }: { readonly name: string }): boolean =>
  name.startsWith('$') && name !== '$version'

/** The field that a column is of, or is derived from, for messages. */
export const fieldOfColumn = (name: string): string => /^\$(.+)\$/.exec(name)?.[1] ?? name

/** How the names of a resource's actions begin: `svc.shop.order-item.`. */
export const actionPrefix = (domain: string, resource: string): string =>
  `svc.${domain}.${kebabCase(resource)}.`

const bounded = (name: string): string => (name.length <= MAX_BYTES ? name : hashed(name, name))

function hashed(name: string, whole: string): string {
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return `${name.slice(0, MAX_BYTES - hash.length - 1).replace(/_+$/, '')}_${hash}`
}

/** The words of a name in lower case: a capital after a small letter or a digit begins one, as does the last of several before a small letter. */
const words = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** Words that the general rules get wrong. */
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['agenda', 'agendas'],
  ['baggage', 'baggage'],
  ['bias', 'biases'],
  ['canvas', 'canvases'],
  ['cattle', 'cattle'],
  ['feedback', 'feedback'],
  ['firmware', 'firmware'],
  ['furniture', 'furniture'],
  ['hardware', 'hardware'],
  ['knowledge', 'knowledge'],
  ['lens', 'lenses'],
  ['luggage', 'luggage'],
  ['medium', 'media'],
  ['metadata', 'metadata'],
  ['money', 'money'],
  ['offspring', 'offspring'],
  ['octopus', 'octopuses'],
  ['poultry', 'poultry'],
  ['chassis', 'chassis'],
  ['corpus', 'corpora'],
  ['debris', 'debris'],
  ['schema', 'schemas'],
  ['tennis', 'tennis'],
  ['virus', 'viruses'],
  ['weather', 'weather'],
])

/** Words in -is that are plurals already: of words in -i. */
const PLURAL_IN_IS = /^(?:alibi|api|bikini|cli|emoji|gui|khaki|kiwi|kpi|rabbi|safari|ski|taxi|uri|wiki)s$/

function pluralWord(word: string): string {
  const irregular = IRREGULAR.get(word)
  if (irregular !== undefined) return irregular
  if (PLURAL_IN_IS.test(word)) return word
  return /[^aeiou]is$/.test(word) ? word.replace(/is$/, 'es') : pluralize(word)
}

/** Carries the capitals of `word` over to its plural. */
function spelledLike(word: string, pluralOfWord: string): string {
  if (pluralOfWord.startsWith(word.toLowerCase())) return word + pluralOfWord.slice(word.length)
  return /^[A-Z]/.test(word) ? pluralOfWord.charAt(0).toUpperCase() + pluralOfWord.slice(1) : pluralOfWord
}
