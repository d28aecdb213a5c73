import {
  compileParameters,
  type Language,
  type LocalText,
  parameterKinds,
  type Path,
  type Resource,
  type Site,
  type Text,
  compileDoor,
} from '@svc/domain/contract'
import type { Views } from '../views/view.ts'
import type { ReportDefinition, WrittenSection } from './definition.ts'
import { compileMetrics } from './metrics.ts'
import type { ReportPlace } from './place.ts'
import type { Report, Section } from './report.ts'
import { compileTable } from './table.ts'
import { word } from '../words.ts'

/** Names that requests for reports have of themselves, and those that expressions have. */
const TAKEN: ReadonlySet<string> = new Set(['format', 'section', 'user', 'op', 'record', 'previous'])

/** Compiles a report; what is wrong is reported. */
export function compileReport(
  name: string,
  written: ReportDefinition,
  site: Site,
  views: Views,
  types: Language['types'],
): Report {
  const path: Path = [name]
  const parameters = compileParameters(written.parameters ?? [], site, [...path, 'parameters'], {
    types,
    taken: TAKEN,
  }).map((one) => ({
    ...one,
    label: word('reports', [...path, 'parameters', one.name, 'label'], one.label, site),
  }))
  const door = compileDoor(written.permissions, [...path, 'permissions'], site, `report '${name}'`)
  const place: ReportPlace = { site, views, parameters: parameterKinds(parameters), door }
  const line = (text: Text | undefined, key: 'header' | 'footer'): LocalText | undefined =>
    text === undefined
      ? undefined
      : site.text(
          text,
          [...path, key],
          { moment: 'read', parameters: place.parameters },
          `reports.${name}.${key}`,
        )
  const sections = written.sections.flatMap(
    (one, at) => compileSection(one, place, [...path, 'sections', at]) ?? [],
  )
  refuseNamesakes(parameters, sections, site, path)
  warnOfUnused(written, site, path)
  return {
    name,
    label: word('reports', [...path, 'label'], written.label, site),
    description: word('reports', [...path, 'description'], written.description, site),
    door,
    parameters,
    header: line(written.header, 'header'),
    footer: line(written.footer, 'footer'),
    sections,
  }
}

function compileSection(written: WrittenSection, place: ReportPlace, path: Path): Section | undefined {
  const { metrics, table } = written
  const title = word('reports', [...path, 'title'], written.title, place.site)
  if ((metrics === undefined) === (table === undefined)) {
    place.site.problem(
      path,
      metrics === undefined ? 'shows nothing' : 'has metrics and a table',
      'Write one of metrics and table',
    )
    return undefined
  }
  if (metrics)
    return { kind: 'metrics', title, metrics: compileMetrics(metrics, place, [...path, 'metrics']) }
  const compiled = compileTable(table!, place, [...path, 'table'])
  return compiled && { kind: 'table', title, table: compiled }
}

/** A bare name is a field of a source, so a parameter called so would never be heard. */
function refuseNamesakes(
  parameters: Report['parameters'],
  sections: readonly Section[],
  site: Site,
  path: Path,
): void {
  const sources = new Set(sections.flatMap(sourcesOf))
  for (const [at, { name }] of parameters.entries())
    for (const { fields, relationships, name: of } of sources) {
      const isField = fields.get(name)?.dynamic === false
      if (isField || relationships.has(name))
        site.problem(
          [...path, 'parameters', at, 'name'],
          `'${name}' is a ${isField ? 'field' : 'relationship'} of '${of}'`,
          'Call the parameter otherwise',
        )
    }
}

const sourcesOf = (section: Section): readonly Resource[] =>
  section.kind === 'table'
    ? [section.table.view.source]
    : section.metrics.flatMap(({ figure }) => figure.measures.map(({ counted }) => counted.resource))

function warnOfUnused(
  { parameters = [], header, footer, sections }: ReportDefinition,
  site: Site,
  path: Path,
): void {
  const texts = JSON.stringify([
    header,
    footer,
    sections.map(({ metrics = [], table }) => [metrics.map(({ value }) => value), table?.filter]),
  ])
  for (const [at, { name }] of parameters.entries())
    if (!new RegExp(`\\b${name}\\b`).test(texts))
      site.warning([...path, 'parameters', at], `nothing uses the parameter '${name}'`)
}
