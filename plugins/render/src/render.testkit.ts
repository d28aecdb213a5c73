import { type EvaluationContext, formatsOf, type Known, type Vocabulary } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import { compileBody, compileLine } from './body/compile.ts'
import { type Composed, composeDocument, type DocumentParts, type PictureResolver } from './compose.ts'
import { PLAIN_LAYOUT } from './document.ts'
import type { Settings } from './formats/format.ts'
import { FORMAT_FACTS, type FormatName } from './formats/formats.ts'

export const SETTINGS: Settings = {
  title: 'A document',
  language: 'en',
  isRightToLeft: false,
  layout: PLAIN_LAYOUT,
}

const formats = formatsOf({ locale: 'en', timezone: 'UTC', currency: 'GBP' })

/** What may be named: what the data has. */
export const vocabularyOf = (data: Readonly<Record<string, Value>>): Vocabulary => ({
  fields: new Map(Object.keys(data).map((name) => [name, 'unknown'])),
  parameters: new Map<string, Known>([['nothing', 'unknown']]),
})

const contextOf = (record: Row): EvaluationContext => ({ record, now: () => 0 })

/** Fills a body with data. */
export function filled(
  body: string,
  data: Readonly<Record<string, Value>> = {},
  {
    format = 'html',
    resolve = async () => undefined,
    header,
    footer,
    ...parts
  }: {
    readonly format?: FormatName
    readonly resolve?: PictureResolver
    readonly header?: string
    readonly footer?: string
  } & Pick<DocumentParts, 'logo'> = {},
): Promise<Composed> {
  const vocabulary = vocabularyOf(data)
  const line = (source: string | undefined) =>
    source === undefined ? undefined : { left: compileLine(source, vocabulary) }
  return composeDocument(
    {
      body: compileBody(body, vocabulary),
      header: line(header),
      footer: line(footer),
      ...parts,
    },
    contextOf(data),
    { formats },
    FORMAT_FACTS[format],
    resolve,
  )
}
