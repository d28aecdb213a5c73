import type { KeptFile } from '@svc/documents/contract'
import { fileName, pdfOf, type ReportMeans } from './answer.ts'
import type { Report } from './report.ts'

/** A report as something that documents are made of: in the default locale, for those whom its permissions let in. */
export const keptOf = (report: Report, definition: unknown, { render, now }: ReportMeans): KeptFile => ({
  name: report.name,
  parameters: report.parameters,
  definition,
  view:
    typeof report.door.written === 'string'
      ? { admits: (caller) => report.door.admits(caller, now) }
      : { roles: report.door.written },
  async make({ data, asker, parameters }) {
    const locale = data.model.localizer.locale(undefined)
    const at = new Date(now()).toISOString()
    const asking = { data, caller: asker.caller, asker, parameters, locale, isExport: true, now }
    return {
      filename: fileName(report, at),
      bytes: await pdfOf(report, asking, { render }),
      locale: locale.localeResolved,
    }
  },
})
