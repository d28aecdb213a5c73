import { unreadableLetters } from '@svc/expression/contract'
import { z } from 'zod'

/** A tag of BCP 47, well formed; the longest that anybody registered has 35 characters. */
const Tag = z.string().max(35).refine(isTag, 'must be a language tag of BCP 47, as in de or pt-BR')

function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

const byTag = <T extends z.ZodType>(schema: T) => z.record(z.string(), schema)

const Pattern = z
  .string()
  .min(1)
  .max(100)
  .refine(
    (pattern) => unreadableLetters(pattern) === undefined,
    'must be a date pattern of Unicode letters, as in dd/MM/yyyy',
  )

const NumberFormat = z.strictObject({
  thousands: z
    .string()
    .max(1, 'must be one character, or empty for none')
    .optional()
    .describe('What stands between groups of three digits; empty: nothing.'),
  decimal: z.string().length(1, 'must be one character').optional().describe('The decimal mark.'),
  currencySymbol: z.string().min(1).max(10).optional().describe('How the currency of the domain is written.'),
  currencyPosition: z.enum(['before', 'after']).optional().describe('Where it stands.'),
})

/** Texts by the steps of their keys; null is a text that is still missing. */
type Texts = string | null | { readonly [step: string]: Texts }
const Texts: z.ZodType<Texts> = z.lazy(() => z.union([z.string(), z.null(), z.record(z.string(), Texts)]))
const texts = z.record(z.string(), Texts).optional()

/** What a file `locales/<locale>.yaml` holds. */
const LocaleFile = z.strictObject({
  locale: z.string().optional().describe('The locale, as the file is called.'),
  resources: texts,
  enums: texts,
  history: texts,
  validation: texts,
  notifications: texts,
  rules: texts,
  views: texts,
  reports: texts,
  dashboards: texts,
  formats: texts,
})
export type LocaleFile = z.output<typeof LocaleFile>

/** The key `localization`. */
export const LocalizationDefinition = z.strictObject({
  defaultLocale: Tag.optional().describe('The locale of texts that name none; en unless said.'),
  supportedLocales: z
    .array(Tag)
    .min(1)
    .max(200)
    .optional()
    .describe('The locales that readers can get; the default one alone unless said.'),
  fallbackChain: z
    .array(Tag)
    .max(20)
    .optional()
    .describe('Where a text is looked for that the locale of a reader lacks, before the default one.'),
  dateFormat: byTag(Pattern).optional().describe('How dates are written, by locale, in Unicode letters.'),
  numberFormat: byTag(NumberFormat).optional().describe('How numbers and amounts are written, by locale.'),
  textDirection: byTag(z.enum(['ltr', 'rtl']))
    .optional()
    .describe('The direction of writing, by locale.'),
  permissions: z
    .array(z.string().min(1))
    .optional()
    .describe('The roles that see coverage, and export and import texts; admin unless said.'),
  locales: z
    .record(z.string(), LocaleFile)
    .optional()
    .describe(
      'What stands in locales/<locale>.yaml beside the definition: it is written there, and not here.',
    ),
})
export type LocalizationDefinition = z.output<typeof LocalizationDefinition>
