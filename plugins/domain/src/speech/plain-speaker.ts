import type { FieldError } from '@svc/kernel'
import { compileText } from '@svc/expression/contract'
import type { Text } from '../definition/schema/text.ts'
import { fallbacks, readAcceptLanguage } from './accept-language.ts'
import { localesOf } from './locales.ts'
import { type Place, placeOf } from './place.ts'
import { templateOf } from './sentences.ts'
import type { Fault, Locale, Speaker, Localizer, Subject } from './speech.ts'

/** The locale of texts that name none, and of every message of the service itself. */
const DEFAULT = 'en'

/** How many headers are remembered: a client can make up any number of them. */
const REMEMBERED = 500

/** Speaks the languages that the texts of a definition are in, and English besides. */
export const plainSpeaker: Speaker = ({ definition }): Localizer => {
  const known = new Map<string, Locale>()
  let found: ReadonlyMap<string, string> | undefined
  const supported = () =>
    (found ??= new Map(
      [DEFAULT, ...localesOf(definition)].map((locale) => [locale.toLowerCase(), locale] as const),
    ))
  return {
    get isMonolingual() {
      return supported().size === 1
    },
    locale(header = '') {
      const before = known.get(header)
      if (before) return before
      if (known.size >= REMEMBERED) known.clear()
      const made = Object.freeze(negotiate(header, supported()))
      known.set(header, made)
      return made
    },
    text: textIn,
    fault: tell,
  }
}

/** The best of the supported locales, by lower-case tag, for a reader (RFC 4647, section 3.4). */
function negotiate(header: string, supported: ReadonlyMap<string, string>): Locale {
  const wanted = readAcceptLanguage(header)
  const refused = new Set(wanted.filter(({ weight }) => weight === 0).map(({ range }) => range.toLowerCase()))
  const taken = wanted
    .filter(({ weight }) => weight > 0)
    .map(({ range }) => (range === '*' ? DEFAULT : range))
  const chain = [...new Set([...taken.flatMap(fallbacks), DEFAULT])].filter(
    (tag) => tag === DEFAULT || !refused.has(tag),
  )
  const resolved = chain.find((tag) => supported.has(tag)) ?? DEFAULT
  return { locale: taken[0] ?? DEFAULT, localeResolved: supported.get(resolved) ?? DEFAULT, chain }
}

const byTag = new WeakMap<object, ReadonlyMap<string, string>>()

/** Finds the text for a reader; the first one where none of the reader's locales has any. */
export function textIn(text: Text | undefined, { chain }: Pick<Locale, 'chain'>): string | undefined {
  if (typeof text !== 'object') return text
  const known = byTag.get(text) ?? new Map(Object.entries(text).map(([tag, one]) => [tag.toLowerCase(), one]))
  byTag.set(text, known)
  for (const tag of chain) {
    const found = known.get(tag)
    if (found !== undefined) return found
  }
  return known.values().next().value
}

/** What one reader is told with. */
export interface Saying {
  label(text: Text): string | undefined
  /** What is said of a fault, before its parameters stand in it; undefined: what the engine says in English. */
  template(fault: Fault): string | undefined
}

/** A fault in the reader's words where its author has some, else in English. */
const tell: Localizer['fault'] = (fault, locale, about) =>
  sayFault(fault, about, {
    label: (text) => textIn(text, locale),
    template: ({ text }) => textIn(text, locale),
  })

/** An entry of `errors[]` of a fault: with the label of its field, and a message whose placeholders are filled. */
export function sayFault(fault: Fault, about: Subject | undefined, saying: Saying): FieldError {
  const { field, rule } = fault
  const place = about && placeOf(field, about)
  const label = place?.label === undefined ? undefined : saying.label(place.label)
  const message = messageOf(fault, saying.template(fault), label, place)
  return label === undefined ? { field, message, rule } : { field, label, message, rule }
}

function messageOf(fault: Fault, template: string | undefined, label = fault.field, place?: Place): string {
  const { field, message, params } = fault
  if (template === undefined && params === undefined && message !== undefined) return message
  return compileText(template ?? templateOf(fault))((name) => {
    if (params !== undefined && Object.hasOwn(params, name)) return params[name]
    if (name === 'field') return field
    if (name === 'label') return label
    return name === 'type' ? place?.type : undefined
  })
}
