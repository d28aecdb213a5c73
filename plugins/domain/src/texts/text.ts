import { compileTemplate, type Expression, namesRead, type Template } from '@svc/expression/contract'
import type { LocalText, Speech } from '../contract/site.ts'
import type { Path } from '../definition/problem.ts'
import type { Text } from '../definition/schema/text.ts'
import { compiledOrReport } from '../model/expression.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Locale } from '../speech/speech.ts'
import { vocabularyFor } from '../model/vocabulary.ts'
import { withAdded } from './added.ts'
import { labelledFormats } from './formats.ts'

/**
 * Compiles a text for people, in every locale that it is written in; undefined where it was reported as wrong. `key` is what
 * locale files call it: what these say under it takes the place of what is written.
 */
export function compileLocalText(
  written: Text,
  path: Path,
  speech: Speech,
  { model, report }: { readonly model: Model; readonly report: Report },
  key?: string,
): LocalText | undefined {
  const vocabulary = vocabularyFor(speech, model)
  const compiled = (source: string, at: Path): Template | undefined =>
    compiledOrReport(source, at, { vocabulary, report }, compileTemplate)
  const templates = new Map<string, Template>()
  const sources =
    typeof written === 'string'
      ? [[written, path] as const]
      : Object.entries(written).map(([locale, source]) => [source, [...path, locale]] as const)
  for (const [source, at] of sources) {
    const template = templates.get(source) ?? compiled(source, at)
    if (template) templates.set(source, template)
  }
  if (sources.some(([source]) => !templates.has(source))) return undefined
  const expressions: readonly Expression[] = [...templates.values()].flatMap((one) => one.expressions)
  const compile = (source: string) => compileTemplate(source, vocabulary)
  if (key !== undefined) model.localizer.name?.(key, written, (source) => namesRead(compile(source)))
  const current = withAdded({ text: written, templates }, key, {
    localizer: model.localizer,
    compile,
    refused: (locale, { message }) =>
      report.warning(path, `has a text in a file of the locale '${locale}' that is of no use: ${message}`),
  })
  return Object.freeze({
    written,
    expressions,
    fill(context, locale: Locale = model.localizer.locale(), shows, writes) {
      const { text, templates: known } = current()
      const template = known.get(model.localizer.text(text, locale) ?? '')
      const formats = labelledFormats(model, locale, speech.resource)
      return template?.fill(context, { formats, shows, writes }) ?? ''
    },
  } satisfies LocalText)
}
