import type { Site } from '@svc/domain/contract'
import { nearest } from '@svc/kernel'
import type { Catalogue } from './catalogue/catalogue.ts'
import { isKnownIn, judgeText, PLURAL } from './catalogue/known.ts'
import { keyOf, textsIn } from './catalogue/locale-files.ts'
import type { LocalizationDefinition } from './definition.ts'
import { marksOf } from './languages/written.ts'

/** Reports what makes no sense in the languages of a domain, and in what its locale files say. */
export function checkLanguages(written: LocalizationDefinition, catalogue: Catalogue, site: Site): void {
  checkSupported(written, site)
  checkMarks(written, site)
  checkFiles(written, catalogue, site)
  checkTexts(catalogue, site)
}

const MAPS = ['dateFormat', 'numberFormat', 'textDirection'] as const

function checkSupported(written: LocalizationDefinition, site: Site): void {
  const { defaultLocale = 'en', supportedLocales = [defaultLocale], fallbackChain = [] } = written
  const supported = new Set(supportedLocales.map((tag) => tag.toLowerCase()))
  const check = (tag: string, path: readonly (string | number)[]) => {
    if (!supported.has(tag.toLowerCase()))
      site.problem([...path], `'${tag}' is not supported`, "Add it to 'supportedLocales'")
  }
  check(defaultLocale, written.defaultLocale === undefined ? ['supportedLocales'] : ['defaultLocale'])
  fallbackChain.forEach((tag, at) => check(tag, ['fallbackChain', at]))
  for (const map of MAPS) for (const tag of Object.keys(written[map] ?? {})) check(tag, [map, tag])
  for (const [name, file] of Object.entries(written.locales ?? {})) {
    check(name, ['locales', name])
    if (file.locale !== undefined && file.locale.toLowerCase() !== name.toLowerCase())
      site.problem(
        ['locales', name, 'locale'],
        `'${file.locale}' is not what the file is called`,
        `Write locale: ${name}, or rename the file`,
      )
  }
}

function checkMarks({ numberFormat = {} }: LocalizationDefinition, site: Site): void {
  for (const [locale, written] of Object.entries(numberFormat)) {
    const { decimal, group } = marksOf(written, locale, undefined)
    if (decimal === group)
      site.problem(
        ['numberFormat', locale],
        `'${decimal}' stands for thousands and for decimals`,
        'Give them marks that differ',
      )
  }
}

/** Texts whose keys name nothing are told with what was probably meant. */
function checkFiles({ locales = {} }: LocalizationDefinition, catalogue: Catalogue, site: Site): void {
  const isKnown = isKnownIn(catalogue, site.model)
  for (const one of textsIn(locales)) {
    const key = keyOf(one, isKnown)
    const at = ['locales', one.locale, ...one.path]
    if (!isKnown(key))
      site.warning(at, `'${key}' names nothing here, and has no effect`, meant(key, catalogue))
    else {
      const refused = judgeText(key, one.text, catalogue)
      if (refused === undefined || one.text === '') continue
      const [message, hint] = REFUSED[refused]
      site.problem(at, message, hint)
    }
  }
}

const REFUSED = {
  placeholders: [
    'does not read the names that the text reads which it translates',
    'Keep every placeholder in braces as it is',
  ],
  pluralSyntax: ['has forms for number or gender, which nothing reads', 'Write one text for all numbers'],
} as const

/** Texts of one domain have so many keys at most; looking for a near one among more takes its time. */
const MOST_COMPARED = 20_000

function meant(key: string, { places }: Catalogue): string | undefined {
  if (places.size > MOST_COMPARED) return undefined
  const found = nearest(key, places.keys()) ?? nearest(`${key}.label`, places.keys())
  return found && `Did you mean '${found}'?`
}

/** The same of what the definition itself says. */
function checkTexts({ places }: Catalogue, site: Site): void {
  for (const [key, { texts }] of places)
    for (const [locale, text] of texts)
      if (PLURAL.test(text)) {
        const [message, hint] = REFUSED.pluralSyntax
        site.problem([], `The text '${key}' in '${locale}' ${message}`, hint)
      }
}
