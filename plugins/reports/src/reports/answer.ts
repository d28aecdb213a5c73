import { csvAnswer, type Data, type Query } from '@svc/domain/contract'
import { attachment } from '@svc/files/contract'
import { type Call, ignoredBy, Reply } from '@svc/kernel'
import type { Render } from '@svc/render/contract'
import type { ReportAsking } from './gather.ts'
import { csvOf } from './csv.ts'
import { jsonOf } from './json.ts'
import { documentOf } from './pdf.ts'
import type { Report } from './report.ts'
import { readRequest } from './request.ts'

/** What reports are made with. */
export interface ReportMeans {
  readonly render: Render
  now(): number
}

/** Answers a request for a report. Throws INVALID_QUERY, RENDER_FAILED and UNAVAILABLE. */
export async function answerReport(report: Report, query: Query, call: Call, data: Data, means: ReportMeans) {
  const { now } = means
  const { caller } = call
  const request = readRequest(report, query, caller, now, ignoredBy(call.request?.meta('prefer'), call.warn))
  const locale = data.model.localizer.locale(call.request?.meta('accept-language'))
  const asking: ReportAsking = {
    data,
    caller,
    asker: call,
    parameters: request.parameters,
    locale,
    isExport: request.format !== 'json',
    now,
  }
  const at = new Date(now()).toISOString()
  if (request.format === 'json') return jsonOf(report, asking, at)
  if (request.format === 'pdf') {
    const bytes = await pdfOf(report, asking, means)
    return new Reply({
      headers: {
        'Content-Disposition': attachment(fileName(report, at)),
        'Cache-Control': 'private, no-cache',
      },
      content: { type: 'application/pdf', body: bytes },
    })
  }
  const sections = request.section === undefined ? report.sections : [report.sections[request.section]!]
  return csvAnswer(csvOf(sections, asking), `${report.name}.csv`, call)
}

/** The bytes of a report as PDF. */
export async function pdfOf(
  report: Report,
  asking: ReportAsking,
  { render }: Pick<ReportMeans, 'render'>,
): Promise<Uint8Array> {
  const { document, settings } = await documentOf(report, asking)
  return render.render(document, 'pdf', settings)
}

/** What the file of a report is called: with the day on which it was made. */
export const fileName = ({ name }: Report, at: string): string => `${name}-${at.slice(0, 10)}.pdf`
