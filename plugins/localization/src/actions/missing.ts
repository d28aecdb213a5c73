import { domainAction, type RecordInput } from '@svc/domain/contract'
import { z } from 'zod'
import type { Translations } from './translations.ts'
import { isTranslatedIn } from '../exchange/coverage.ts'
import { entriesOf } from '../exchange/entries.ts'
import { localeIn, tellIgnored } from './query.ts'

const Item = z.object({
  key: z.string(),
  defaultValue: z.string().describe('The text for readers of the default locale.'),
  context: z.string().describe('What the text is about.'),
})

/** Makes the action that lists what a locale lacks. */
export const missingAction = ({ catalogue, model, access }: Translations) =>
  domainAction<RecordInput>({
    name: 'missing',
    summary: 'List the texts that a locale lacks',
    access,
    routes: ['GET /localization/missing'],
    output: z.object({ locale: z.string(), items: z.array(Item), count: z.int() }),
    handle(input, call) {
      tellIgnored(input, ['locale'], call)
      const locale = localeIn(input, catalogue.languages)
      const isTranslated = isTranslatedIn(locale, catalogue)
      const items = entriesOf(catalogue, model, locale)
        .filter(({ key }) => !isTranslated(key))
        .map(({ key, source, context }) => ({ key, defaultValue: source, context }))
      return { locale, items, count: items.length }
    },
  })
