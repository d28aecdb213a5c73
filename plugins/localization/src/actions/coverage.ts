import { setImmediate } from 'node:timers/promises'
import { domainAction, type RecordInput } from '@svc/domain/contract'
import { z } from 'zod'
import type { Translations } from './translations.ts'
import { type Coverage, coverageOf } from '../exchange/coverage.ts'
import { keysOf } from '../exchange/entries.ts'
import { tellIgnored } from './query.ts'

const CoverageAnswer = z.object({
  total: z.int().describe('The texts that there are.'),
  translated: z.int(),
  missing: z.int(),
  percentage: z.number().describe('With one decimal; 100 only where nothing is missing.'),
})

/** Makes the action that tells how far the locales are translated. */
export const coverageAction = ({ catalogue, model, access }: Translations) =>
  domainAction<RecordInput>({
    name: 'coverage',
    summary: 'Tell how far each locale is translated',
    access,
    routes: ['GET /localization/coverage'],
    output: z.object({ defaultLocale: z.string(), locales: z.record(z.string(), CoverageAnswer) }),
    async handle(input, call) {
      tellIgnored(input, [], call)
      const { defaultLocale, supported } = catalogue.languages
      const keys = keysOf(catalogue, model)
      const locales: Record<string, Coverage> = {}
      for (const locale of supported) {
        locales[locale] = coverageOf(keys, locale, catalogue)
        // Others get their turn: there may be two hundred of them.
        await setImmediate()
      }
      return { defaultLocale, locales }
    },
  })
