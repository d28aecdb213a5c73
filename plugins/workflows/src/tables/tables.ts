import type { Model } from '@svc/domain/contract'
import type { Table } from '@svc/store/contract'
import { instanceTable } from './instances.ts'
import { lineTable } from './lines.ts'
import { stepTable } from './steps.ts'
import { textTable } from './texts.ts'

/** Where a domain keeps what its workflows do. */
export interface Tables {
  readonly instances: Table
  readonly lines: Table
  readonly steps: Table
  readonly texts: Table
}

/** The tables of a domain. */
export const tablesOf = (model: Pick<Model, 'name'>): Tables => ({
  instances: instanceTable(model),
  lines: lineTable(model),
  steps: stepTable(model),
  texts: textTable(model),
})
