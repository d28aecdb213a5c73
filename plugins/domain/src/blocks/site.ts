import type { Expression, Kind } from '@svc/expression/contract'
import type { Block } from '../contract/block.ts'
import type { ApartSite, ResourceSite, Site, Speech } from '../contract/site.ts'
import { asWritten } from '../definition/as-written.ts'
import { isList, isMap, type Node, nodeOf, valueAt } from '../definition/document.ts'
import type { Path } from '../definition/problem.ts'
import type { Secret } from '../model/definition-variables.ts'
import { buildCondition, buildExpression, compiledOrReport } from '../model/expression.ts'
import type { Model } from '../model/model.ts'
import { checkIcon } from '../model/icons.ts'
import { buildRows } from '../model/permission.ts'
import { createReport, type Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { vocabularyFor } from '../model/vocabulary.ts'
import { compileLocalText } from '../texts/text.ts'
import { compileValue } from '../texts/value.ts'
import { earlierKeys } from './order.ts'

/** What places are made of, besides their model. */
export interface Around {
  readonly report: Report
  /** The document as it is written, without directives. */
  readonly written: Node
}

/** The place of a block in a model. */
export function siteOf(block: Block, model: Model, at: Path, { report, written }: Around): Site {
  const writtenAt = (path: Path) => valueAt(written, [...at, ...path])
  return {
    model,
    problem: (path, message, hint) => report.problem([...at, ...path], message, hint),
    judgement: (path, message, hint) => report.judgement([...at, ...path], message, hint),
    warning: (path, message, hint) => report.warning([...at, ...path], message, hint),
    expression: (source, path, speech) => expressionOf(source, [...at, ...path], { speech, model, report }),
    rows: (source, path, speech) =>
      buildRows(source, [...at, ...path], {
        vocabulary: vocabularyFor(speech, model),
        fields: speech.resource.fields,
        report,
      }),
    named: (key, written) => model.localizer.name?.(key, written) ?? written ?? {},
    text: (written, path, speech, key) =>
      compileLocalText(written, [...at, ...path], speech, { model, report }, key),
    compiled: (source, path, speech, read) =>
      compiledOrReport(source, [...at, ...path], { vocabulary: vocabularyFor(speech, model), report }, read),
    value: (written, path, speech) => compileValue(written, [...at, ...path], { speech, model, report }),
    icon: (written, path) => checkIcon(written, [...at, ...path], model.icons, report),
    made({ key }, resource) {
      assertEarlier(key, block)
      const placed = model.parts.find((one) => one.key === key && one.resource === resource)
      // The type of what a key makes is said where the key is named: by the plugin that owns both.
      return placed?.part.made as never
    },
    written: writtenAt,
    asWritten: (path, value) => asWritten(value, writtenAt(path)),
    secret: (path) => secretOf(writtenAt(path), [...at, ...path], { model, report }),
    hide: (path) => textsIn(writtenAt(path)).forEach(model.variables.hide),
    apart: (text) => apartSiteOf(block, model, nodeOf(text)),
  }
}

function apartSiteOf(block: Block, model: Model, written: Node): ApartSite {
  const report = createReport()
  return {
    ...siteOf(block, model, [], { report, written }),
    problems: report.problems,
    filled: filled(written, [], { model, report }),
  }
}

type Told = { readonly model: Model; readonly report: Report }

function secretOf(written: Node | undefined, path: Path, { model, report }: Told): Secret | undefined {
  if (written === undefined || written === null) return undefined
  const secret = typeof written === 'string' ? model.variables.secret(written) : undefined
  if (secret === undefined)
    report.problem(
      path,
      'is a secret, and has to be one variable and nothing else',
      'Write ${NAME}: everybody may read a definition',
    )
  else if (!secret.isConfigured)
    report.warning(
      path,
      `is not configured, since the variable ${secret.variable} is not set`,
      'A default is never used as a secret',
    )
  return secret
}

const textsIn = (node: Node | undefined): readonly string[] =>
  typeof node === 'string'
    ? [node]
    : typeof node === 'object' && node !== null
      ? Object.values(node).flatMap(textsIn)
      : []

/** What a text means that is not in the definition; where a variable is not set, that is reported. */
function filled(written: Node, path: Path, told: Told): unknown {
  if (typeof written === 'string') {
    const text = told.model.variables.fill(written)
    if (text === undefined) told.report.problem(path, 'reads a variable that is not set')
    return text ?? written
  }
  if (isList(written)) return written.map((item, at) => filled(item, [...path, at], told))
  if (!isMap(written)) return written
  const entries = Object.entries(written).map(([key, value]) => [key, filled(value, [...path, key], told)])
  return Object.fromEntries(entries)
}

/** The place of a block in a resource. */
export function resourceSiteOf(block: Block, model: Model, resource: Resource, around: Around): ResourceSite {
  const site = siteOf(block, model, ['domain', 'resources', resource.name, block.key], around)
  return {
    ...site,
    resource,
    condition: (source, path) =>
      site.expression(source, path, { resource, moment: 'write', kind: 'boolean' }),
    feature: (name) => resource.features.added[name] === true,
  }
}

function expressionOf(
  source: string,
  path: Path,
  { speech, model, report }: { readonly speech: Speech; readonly model: Model; readonly report: Report },
): Expression | undefined {
  const vocabulary = vocabularyFor(speech, model)
  if (speech.kind === 'boolean') return buildCondition(source, path, vocabulary, report)
  const expression = buildExpression(source, path, vocabulary, report)
  if (expression && isOther(expression.kind, speech.kind))
    report.warning(path, `this gives ${expression.kind}, and ${speech.kind} is wanted here`)
  return expression
}

const isOther = (kind: Kind, wanted: Kind | undefined): boolean =>
  wanted !== undefined && kind !== wanted && kind !== 'unknown' && kind !== 'null'

function assertEarlier(key: string, block: Block): void {
  if (earlierKeys(block).includes(key)) return
  throw new Error(`the block '${block.key}' asks for what '${key}' makes: say so by after: ['${key}']`)
}
