import type { Documents } from '@svc/documents/contract'
import {
  domainAction,
  type DomainBlock,
  type Domains,
  type RecordInput,
  type Text,
} from '@svc/domain/contract'
import { VIEWS } from '../views/view.ts'
import { answerReport, type ReportMeans } from './answer.ts'
import { compileReport } from './compile.ts'
import { type ReportDefinitions, ReportDefinitions as Schema } from './definition.ts'
import { REPORT_ANSWER, reportQuery } from './documentation.ts'
import { keptOf } from './kept.ts'
import { type Report, type Reports, REPORTS } from './report.ts'

/** The key `reports` of a domain. */
export const reportsBlock = (
  domains: Domains,
  means: ReportMeans,
  keep: ReturnType<Documents['keeps']> = () => undefined,
): DomainBlock<ReportDefinitions, Reports> => ({
  on: 'domain',
  key: REPORTS.key,
  schema: Schema,
  after: [VIEWS.key],
  compile(written, site) {
    if (written === undefined) return undefined
    const views = site.made(VIEWS) ?? new Map()
    const { types } = domains.language()
    const all = Object.entries(written).map(([name, one]) => compileReport(name, one, site, views, types))
    keep(
      site.model,
      all.map((report) => keptOf(report, written[report.name], means)),
    )
    return {
      made: new Map(all.map((report) => [report.name, report])),
      actions: all.map((report) =>
        domainAction<RecordInput>({
          name: report.name,
          summary: `Read the report '${report.name}'`,
          access: report.door.access,
          routes: [`GET /reports/${report.name}`],
          handle(input, call, data) {
            report.door.assert(call.caller, means.now)
            return answerReport(report, input.query ?? {}, call, data, means)
          },
        }),
      ),
      describe: (localize) => ({
        schema: {
          reports: Object.fromEntries(all.map((report) => [report.name, factsOf(report, localize)])),
        },
        openapi: {
          operations: Object.fromEntries(
            all.map((report) => [
              report.name,
              {
                description: localize(report.description) ?? DESCRIPTION,
                query: reportQuery(report, localize),
                answers: { description: 'The report', data: REPORT_ANSWER },
                failures: [400, 422, 503],
              },
            ]),
          ),
        },
      }),
    }
  },
})

const DESCRIPTION =
  'Figures and rows are worked out of the records that you may list, and of the fields that you may read.'

const factsOf = (
  { name, label, description, door, parameters }: Report,
  localize: (text: Text | undefined) => string | undefined,
) => ({
  label: localize(label) ?? name,
  description: localize(description),
  permissions: door.written,
  parameters: parameters.map((one) => ({
    name: one.name,
    type: one.type,
    label: localize(one.label) ?? one.name,
    optional: one.isOptional || one.otherwise !== undefined,
    enum: one.allowed && [...one.allowed],
  })),
})
