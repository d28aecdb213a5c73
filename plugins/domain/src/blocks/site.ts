import type { Expression, Kind, Vocabulary } from '@svc/expression/contract'
import type { Block } from '../contract/block.ts'
import type { ApartSite, ResourceSite, RowSpeech, Site, Speech } from '../contract/site.ts'
import type { Path } from '../definition/problem.ts'
import { buildCondition, buildExpression } from '../model/expression.ts'
import type { Model } from '../model/model.ts'
import { buildRows } from '../model/permission.ts'
import { createReport, type Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { vocabularyOf } from '../model/vocabulary.ts'
import { earlierKeys } from './order.ts'

/** The place of a block in a model. */
export function siteOf(block: Block, model: Model, at: Path, report: Report): Site {
  return {
    model,
    problem: (path, message, hint) => report.problem([...at, ...path], message, hint),
    warning: (path, message, hint) => report.warning([...at, ...path], message, hint),
    expression: (source, path, speech) => expressionOf(source, [...at, ...path], { speech, model, report }),
    rows: (source, path, speech) =>
      buildRows(source, [...at, ...path], {
        vocabulary: vocabularyFor(speech, model),
        fields: speech.resource.fields,
        report,
      }),
    made({ key }, resource) {
      assertEarlier(key, block)
      const placed = model.parts.find((one) => one.key === key && one.resource === resource)
      // The type of what a key makes is said where the key is named: by the plugin that owns both.
      return placed?.part.made as never
    },
    apart: () => apartSiteOf(block, model),
  }
}

function apartSiteOf(block: Block, model: Model): ApartSite {
  const report = createReport()
  return { ...siteOf(block, model, [], report), problems: report.problems }
}

/** The place of a block in a resource. */
export function resourceSiteOf(block: Block, model: Model, resource: Resource, report: Report): ResourceSite {
  const site = siteOf(block, model, ['domain', 'resources', resource.name, block.key], report)
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

function vocabularyFor(
  { resource, moment, parameters, variables }: Speech | RowSpeech,
  { functions }: Model,
): Vocabulary {
  const own: Vocabulary = resource ? vocabularyOf(resource, moment) : { caller: true, functions }
  return parameters === undefined && variables === undefined ? own : { ...own, parameters, variables }
}

function assertEarlier(key: string, block: Block): void {
  if (earlierKeys(block).includes(key)) return
  throw new Error(`the block '${block.key}' asks for what '${key}' makes: say so by after: ['${key}']`)
}
