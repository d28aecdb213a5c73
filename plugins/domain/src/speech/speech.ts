import type { Formats } from '@svc/expression/contract'
import type { Action, FieldError } from '@svc/kernel'
import type { Definition } from '../definition/schema/definition.ts'
import type { Text } from '../definition/schema/text.ts'
import type { CompiledType } from '../fields/field-type.ts'
import type { Params } from './params.ts'

/**
 * Something wrong with an input, before it is told to anybody: the rule that it breaks and what a message about that is
 * made of.
 */
export interface Fault extends Omit<FieldError, 'message' | 'params'> {
  /** The key of the sentence among `SENTENCES` that says it; that of the rule's name unless said. */
  readonly sentence?: string | undefined
  /** Says it in English in place of any sentence; where there are params, `{name}` stands for one of them. */
  readonly message?: string | undefined
  readonly params?: Params | undefined
  /** What the author of the definition says about it, in place of any other message. */
  readonly text?: Text
}

/** What a reader's header comes to in a domain. */
export interface Locale {
  /** The reader's first choice, else the domain's default; a tag of BCP 47. */
  readonly locale: string
  /** The locale of the domain that the reader gets. */
  readonly localeResolved: string
  /** Where texts are looked for, in order; a text that is in none of these is told as it comes first. */
  readonly chain: readonly string[]
}

/** As much of a resource as messages about its fields speak of. */
export interface Subject {
  readonly name: string
  readonly fields: ReadonlyMap<string, { readonly label: Text | undefined; readonly compiled: CompiledType }>
}

/** The languages of one domain. */
export interface Localizer {
  /** Whether there is one language alone, of which answers to a write then say nothing. */
  readonly isMonolingual: boolean
  /** Whether every answer of the domain tells the language that it is in, an error's too. */
  readonly isTold?: boolean
  /** Negotiates a locale with a header `Accept-Language` (RFC 9110, section 12.5.4); without one it is the default. */
  locale(acceptLanguage?: string): Locale
  text(text: Text | undefined, locale: Locale): string | undefined
  /**
   * Learns the key of a text of the definition, or of the place of one, and answers what the engine hands on for it. `reads`
   * tells the names that a text in its place reads, and throws ExpressionError for what is none; placeholders alone unless said.
   */
  name?(key: string, text: Text | undefined, reads?: (source: string) => readonly string[]): Text
  /** What a text is by now in each locale that has one of its own. */
  wordings?(text: Text): Readonly<Record<string, string>>
  /** Another object once texts have changed beside the definition: what was made of texts is kept until then. */
  edition?(): object
  /** How values are written for readers of a locale, as far as the domain says: the same object as long as it says the same. */
  formats?(locale: Locale): WrittenFormats
  /**
   * Texts that stand beside the definition, by locale, under the key by which locale files know one:
   * `notifications.templates.rules.late.subject`. In its locale each wins over the definition's, and reads the names that
   * this one reads. They may change while the definition is in force: until then the same object is answered.
   */
  added?(key: string): Readonly<Record<string, string>> | undefined
  /** A fault as it is told. */
  fault(fault: Fault, locale: Locale, about?: Subject): FieldError
}

/** What a domain may say of how values are written; all else is CLDR's. */
export type WrittenFormats = Partial<
  Pick<Formats, 'decimal' | 'group' | 'currency' | 'patterns' | 'yes' | 'no'>
>

/** The domain that is to be spoken of; asked once for each definition that is read. */
export interface SpokenDomain {
  readonly definition: Definition
}

/** Makes the localizer of a domain. */
export type Speaker = (domain: SpokenDomain) => Localizer

/** What answers say of the language that they are in. */
export interface LocaleFacts {
  readonly meta: { readonly locale: string; readonly localeResolved: string }
  readonly headers: { readonly 'Content-Language': string; readonly Vary: 'Accept-Language' }
}

/** What messages about an input say of their language: nothing where a domain has no other. */
export const messageFacts = (
  localizer: Localizer,
  acceptLanguage: string | undefined,
): Partial<LocaleFacts> => (localizer.isMonolingual ? {} : localeFacts(localizer.locale(acceptLanguage)))

/** What an action of a domain says of every answer. */
export const tellingOf = (localizer: Localizer): Pick<Action, 'tells'> =>
  localizer.isTold
    ? { tells: (request) => localeFacts(localizer.locale(request.meta('accept-language'))) }
    : {}

/** Localizers remember what headers come to: so do the facts of that. */
const known = new WeakMap<Locale, LocaleFacts>()

/** The `_meta` and the headers of an answer in a locale (RFC 9110, sections 8.5 and 12.5.5). */
export function localeFacts(reader: Locale): LocaleFacts {
  const before = known.get(reader)
  if (before) return before
  const { locale, localeResolved } = reader
  const made: LocaleFacts = {
    meta: { locale, localeResolved },
    headers: { 'Content-Language': localeResolved, Vary: 'Accept-Language' },
  }
  known.set(reader, made)
  return made
}
