import { createHash } from 'node:crypto'
import { onceOf } from '@svc/automation/contract'
import { domainAction } from '@svc/domain/contract'
import { type Call, errors } from '@svc/kernel'
import { formOf, uploadOf } from '@svc/rest/contract'
import { z } from 'zod'
import type { Translations } from './translations.ts'
import { judgeFile, planImport, REASONS } from '../exchange/plan.ts'
import { readTranslations } from '../exchange/read/read.ts'
import { type ReadFile, Unreadable } from '../exchange/read/read-file.ts'

/** The largest file that is read. */
const MAX_BYTES = 5 * 1024 * 1024
/** What stands in a form around its file. */
const FORM_BYTES = 32 * 1024

const input = z.looseObject({
  dryRun: z.enum(['true', 'false']).optional().describe('Whether nothing is written; false unless said.'),
})

const Outcome = z.object({
  locale: z.string(),
  format: z.enum(['yaml', 'xliff', 'csv']),
  imported: z.int().describe('Texts that are new or say something else now.'),
  unchanged: z.int().describe('Texts that are as they were, empty ones and drafts among them.'),
  removed: z.int().describe('Imported texts that an empty one has taken away.'),
  skipped: z.array(z.object({ key: z.string(), reason: z.enum(REASONS) })),
  changedSource: z.array(z.string()).describe('Keys whose source is not what it was when the file was made.'),
})

/** Makes the action that takes translations. */
export const importAction = ({ catalogue, model, imports, access }: Translations) =>
  domainAction<z.output<typeof input>, z.output<typeof Outcome>>({
    name: 'import',
    summary: 'Import translated texts',
    access,
    routes: ['POST /localization/import'],
    rawBody: formOf(MAX_BYTES + FORM_BYTES),
    input,
    output: Outcome,
    async handle({ dryRun }, call, data) {
      const bytes = await bytesOf(call)
      const hash = createHash('sha256').update(bytes).digest('hex')
      const file = await told(async () => readTranslations(bytes))
      const locale = supported(file, (tag) => catalogue.languages.find(tag), catalogue.languages.supported)
      const judged = await told(() => judgeFile(file, catalogue, model))
      const beneath = catalogue.beneath(locale)
      const done =
        dryRun === 'true'
          ? planImport(judged, await imports.stored(model.name, locale, data.reader), beneath)
          : await data.write(
              call,
              async (writes) => {
                const before = await imports.begin(model.name, locale, writes)
                const planned = planImport(judged, before, beneath)
                await imports.write({ domain: model.name, locale }, planned.changes, before, writes)
                const { imported, unchanged, removed } = planned
                return { imported, unchanged, removed }
              },
              { many: true, ...onceOf(call, `localization import ${locale}`, hash) },
            )
      if (dryRun !== 'true') await imports.look()
      const { imported, unchanged, removed } = done
      const { skipped, changedSource } = judged
      return { locale, format: file.format, imported, unchanged, removed, skipped, changedSource }
    },
  })

async function bytesOf(call: Call): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of await uploadOf(call)) {
    length += chunk.length
    if (length > MAX_BYTES)
      throw errors.PAYLOAD_TOO_LARGE({ message: 'A file of translations has at most 5 MiB' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A file that cannot be read is told with its line, and nothing of it counts. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Unreadable) throw refused(error.message, error.line, 'format')
    throw error
  }
}

function supported(
  { locale }: ReadFile,
  find: (tag: string) => string | undefined,
  all: readonly string[],
): string {
  const found = find(locale)
  if (found !== undefined) return found
  const message = `The locale '${locale.slice(0, 50)}' is not supported: supported are ${all.slice(0, 20).join(', ')}`
  throw refused(message, 1, 'enum')
}

const refused = (message: string, line: number, rule: string) =>
  errors.VALIDATION_ERROR({
    message: `The file cannot be read: line ${line}: ${message}`,
    errors: [{ field: 'file', rule, message, line }],
  })
