import {
  type Fault,
  type Localizer,
  plainSpeaker,
  sayFault,
  type Speaker,
  type SpokenDomain,
  type WrittenFormats,
} from '@svc/domain/contract'
import { messageKey } from './catalogue/built-in.ts'
import { type Catalogue, createCatalogue, type Found } from './catalogue/catalogue.ts'
import type { Imports } from './catalogue/imports.ts'
import { judgeText } from './catalogue/known.ts'
import { localeFiles } from './catalogue/locale-files.ts'
import { LocalizationDefinition } from './definition.ts'
import { createLanguages } from './languages/languages.ts'
import { writtenFormats } from './languages/written.ts'

/** Speaks for domains, and knows the texts of each localizer that it made. */
export interface DomainSpeaker {
  readonly speak: Speaker
  /** The texts of a domain that declares its languages. */
  catalogueOf(localizer: Localizer): Catalogue | undefined
}

/** Makes the speaker. A domain without the key `localization` is spoken of as the engine does by itself. */
export function createSpeaker(imports: Pick<Imports, 'of'>): DomainSpeaker {
  const catalogues = new WeakMap<Localizer, Catalogue>()
  return {
    catalogueOf: (localizer) => catalogues.get(localizer),
    speak(domain) {
      const written = writtenIn(domain)
      if (written === undefined) return plainSpeaker(domain)
      const name = domain.definition.name.toLowerCase()
      const languages = createLanguages(written)
      const catalogue = createCatalogue(
        languages,
        localeFiles(written.locales ?? {}),
        () => imports.of(name),
        judgeText,
      )
      const localizer = {
        ...localizerOf(catalogue, written, domain.definition.config?.['currency']),
        edition: () => imports.of(name),
      }
      catalogues.set(localizer, catalogue)
      return localizer
    },
  }
}

/** What stands under the key; of what is wrong there, which is told elsewhere, the usual. */
function writtenIn({ definition }: SpokenDomain): LocalizationDefinition | undefined {
  const written = new Map<string, unknown>(Object.entries(definition)).get('localization')
  return written === undefined ? undefined : (LocalizationDefinition.safeParse(written).data ?? {})
}

function localizerOf(catalogue: Catalogue, written: LocalizationDefinition, currency: unknown): Localizer {
  const { languages, find, text, name, added, wordings } = catalogue
  return {
    isMonolingual: false,
    isTold: true,
    locale: (header = '') => languages.negotiate(header),
    text,
    name,
    added,
    wordings,
    formats: formatsIn(catalogue, written, currency),
    fault: (fault, locale, about) =>
      sayFault(fault, about, {
        label: (label) => text(label, locale),
        template: (one) =>
          special(one, about, (key) => find(key, locale.chain)?.text) ??
          text(one.text, locale) ??
          general(one, (key) => find(key, locale.chain)),
      }),
  }
}

/** What is said of one field alone. */
function special(
  { field, rule }: Fault,
  about: Parameters<Localizer['fault']>[2],
  say: (key: string) => string | undefined,
): string | undefined {
  const name = field.split('.')[0] ?? ''
  return about?.fields.has(name) ? say(messageKey(`${about.name}.${name}.${rule}`)) : undefined
}

/** What is said of the rule; where that is what the service says by itself, the engine knows it more exactly. */
function general({ rule }: Fault, find: (key: string) => Found | undefined): string | undefined {
  const found = find(messageKey(rule))
  return found === undefined || found.isBuiltIn ? undefined : found.text
}

/** How values are written, by locale; made anew where the words for yes and no have changed. */
function formatsIn(
  { languages, find }: Catalogue,
  written: LocalizationDefinition,
  currency: unknown,
): NonNullable<Localizer['formats']> {
  const known = new Map<string, WrittenFormats>()
  return ({ localeResolved, chain }) => {
    const yes = find('formats.true', chain)?.text
    const no = find('formats.false', chain)?.text
    const before = known.get(localeResolved)
    if (before && before.yes === yes && before.no === no) return before
    const made: WrittenFormats = {
      ...writtenFormats(written, languages, localeResolved, currency),
      ...(yes !== undefined && { yes }),
      ...(no !== undefined && { no }),
    }
    known.set(localeResolved, made)
    return made
  }
}
