import type { Door, Site } from '@svc/domain/contract'
import type { Known } from '@svc/expression/contract'
import type { Views } from '../views/view.ts'

/** What the parts of a report are compiled with. */
export interface ReportPlace {
  readonly site: Site
  readonly views: Views
  readonly parameters: ReadonlyMap<string, Known>
  /** Whom the report lets in. */
  readonly door: Door
}
