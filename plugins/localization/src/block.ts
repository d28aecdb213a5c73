import {
  type DomainBlock,
  type Locale,
  labelledFormats,
  type Localizer,
  type Model,
} from '@svc/domain/contract'
import { coverageAction } from './actions/coverage.ts'
import { exportAction } from './actions/export.ts'
import { importAction } from './actions/import.ts'
import { missingAction } from './actions/missing.ts'
import type { Translations } from './actions/translations.ts'
import { LOCALIZATION_DOCUMENTATION } from './documentation.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import type { Imports } from './catalogue/imports.ts'
import { checkLanguages } from './checks.ts'
import { LocalizationDefinition } from './definition.ts'
import { directionOf } from './languages/written.ts'

/** The key `localization`. It comes last: locale files speak of what all other keys have. */
export const localizationBlock = (
  catalogueOf: (localizer: Localizer) => Catalogue | undefined,
  imports: Imports,
): DomainBlock<LocalizationDefinition> => ({
  on: 'domain',
  key: 'localization',
  isLast: true,
  schema: LocalizationDefinition.describe('The languages of the domain.'),
  compile(written, site) {
    const catalogue = catalogueOf(site.model.localizer)
    if (written === undefined || catalogue === undefined) return undefined
    checkLanguages(written, catalogue, site)
    const { permissions: access = ['admin'] } = written
    const translations: Translations = { model: site.model, catalogue, imports, access }
    return {
      actions: [
        coverageAction(translations),
        missingAction(translations),
        exportAction(translations),
        importAction(translations),
      ],
      describe: (_, locale) => ({
        schema: { localization: facts(written, catalogue, site.model, locale) },
        openapi: LOCALIZATION_DOCUMENTATION,
      }),
    }
  },
})

/** What clients are told of the languages, for one of them. */
function facts(written: LocalizationDefinition, { languages }: Catalogue, model: Model, locale: Locale) {
  const { localeResolved } = locale
  const { patterns, group, decimal, currency, timezone } = labelledFormats(model, locale, undefined)
  return {
    defaultLocale: languages.defaultLocale,
    supportedLocales: languages.supported,
    locale: localeResolved,
    textDirection: directionOf(written, localeResolved),
    dateFormat: patterns.date,
    numberFormat: {
      thousands: group,
      decimal,
      currencySymbol: currency?.sign ?? null,
      currencyPosition: currency?.isAfter ? 'after' : 'before',
    },
    timezone,
  }
}
