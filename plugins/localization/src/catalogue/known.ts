import type { Model } from '@svc/domain/contract'
import { ExpressionError, placeholdersOf } from '@svc/expression/contract'
import { BUILT_IN, MESSAGE_NAMES, messageKey, RULES } from './built-in.ts'
import type { Catalogue } from './catalogue.ts'

/** Whether a key names something of the domain: a text under any other is nobody's. */
export const isKnownIn =
  ({ places }: Pick<Catalogue, 'places'>, { resources }: Pick<Model, 'resources'>) =>
  (key: string): boolean => {
    if (places.has(key) || BUILT_IN.of(key).size > 0) return true
    const [, resource = '', field = '', rule = ''] = FIELD_MESSAGE.exec(key) ?? []
    return resources.get(resource)?.fields.has(field) === true && RULES.some((one) => one === rule)
  }

const FIELD_MESSAGE = /^validation\.messages\.([^.]+)\.([^.]+)\.([^.]+)$/

/** Why a text cannot stand under a key, if so. */
export type Refused = 'placeholders' | 'pluralSyntax'

/** ICU's way to write forms of number and gender, which nothing here reads. */
export const PLURAL = /\{\s*[\w.$]+\s*,\s*(?:plural|select|selectordinal)\s*,/

/** Says why a text cannot stand under a key: it reads the names that its source reads, no more and no fewer. */
export function judgeText(key: string, text: string, catalogue: Catalogue): Refused | undefined {
  if (PLURAL.test(text)) return 'pluralSyntax'
  const source = sourceOf(key, catalogue)
  if (key.startsWith('validation.'))
    return readsMessage(text, source, builtInFor(key)) ? undefined : 'placeholders'
  const reads = catalogue.places.get(key)?.reads ?? placeholdersOf
  try {
    return areSame(reads(text), source === undefined ? [] : reads(source)) ? undefined : 'placeholders'
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return 'placeholders'
  }
}

/** What the definition itself says, in the default locale if it does; where it says nothing, what others say there. */
function sourceOf(key: string, { places, languages, find }: Catalogue): string | undefined {
  const texts = places.get(key)?.texts
  const own = texts?.get(languages.defaultLocale.toLowerCase())
  return (
    own ||
    [...(texts?.values() ?? [])].find(Boolean) ||
    find(key, languages.chainOf(languages.defaultLocale))?.text
  )
}

/** A message of validation may read what every fault has, and what its source or that of its rule reads. */
function readsMessage(text: string, source = '', builtIn = ''): boolean {
  const known = new Set<string>([...MESSAGE_NAMES, ...placeholdersOf(source), ...placeholdersOf(builtIn)])
  return placeholdersOf(text).every((name) => known.has(name))
}

/** What the service says of the rule that a key ends with. */
const builtInFor = (key: string): string | undefined =>
  BUILT_IN.of(messageKey(key.slice(key.lastIndexOf('.') + 1))).get('en')

const areSame = (some: readonly string[], others: readonly string[]): boolean => {
  const [left, right] = [new Set(some), new Set(others)]
  return left.size === right.size && [...left].every((name) => right.has(name))
}
