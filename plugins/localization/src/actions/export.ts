import { domainAction, type RecordInput } from '@svc/domain/contract'
import { Reply } from '@svc/kernel'
import type { Translations } from './translations.ts'
import { entriesOf } from '../exchange/entries.ts'
import type { Writing } from '../exchange/write/writing.ts'
import { writeCsv } from '../exchange/write/csv.ts'
import { writeXliff12 } from '../exchange/write/xliff-12.ts'
import { writeXliff20 } from '../exchange/write/xliff-20.ts'
import { writeYaml } from '../exchange/write/yaml.ts'
import { localeIn, oneOf, tellIgnored } from './query.ts'

const FORMATS = {
  yaml: { ending: 'yaml', type: 'application/yaml' },
  xliff: { ending: 'xlf', type: 'application/xliff+xml' },
  csv: { ending: 'csv', type: 'text/csv; charset=utf-8' },
} as const

type Format = keyof typeof FORMATS

const writers = (version: '1.2' | '2.0'): Readonly<Record<Format, (writing: Writing) => string>> => ({
  yaml: writeYaml,
  xliff: version === '1.2' ? writeXliff12 : writeXliff20,
  csv: writeCsv,
})

/** Makes the action that hands the texts of a locale to translators. */
export const exportAction = ({ catalogue, model, access }: Translations) =>
  domainAction<RecordInput>({
    name: 'export',
    summary: 'Export the texts of a locale for translators',
    access,
    routes: ['GET /localization/export'],
    notes: { direct: true, openapi: { type: '*/*', bytes: true } },
    handle(input, call) {
      tellIgnored(input, ['locale', 'format', 'version'], call)
      const { languages } = catalogue
      const locale = localeIn(input, languages)
      const format = oneOf(input, 'format', ['yaml', 'xliff', 'csv'])
      const version = oneOf(input, 'version', ['1.2', '2.0'])
      const { ending, type } = FORMATS[format]
      const body = writers(version)[format]({
        domain: model.name,
        defaultLocale: languages.defaultLocale,
        locale,
        entries: entriesOf(catalogue, model, locale),
      })
      const disposition = `attachment; filename="${model.name}.${locale}.${ending}"`
      return new Reply({ headers: { 'Content-Disposition': disposition }, content: { type, body } })
    },
  })
