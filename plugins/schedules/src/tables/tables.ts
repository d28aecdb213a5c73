import type { Model } from '@svc/domain/contract'
import type { Table } from '@svc/store/contract'
import { dueTable } from './due.ts'
import { firingTable } from './firings.ts'
import { markTable } from './marks.ts'
import { stateTable } from './states.ts'

/** The tables of a domain's schedules. */
export interface Tables {
  readonly states: Table
  readonly due: Table
  readonly marks: Table
  readonly firings: Table
}

/** Makes them, by the name of the domain. */
export const tablesOf = (model: Pick<Model, 'name'>): Tables => ({
  states: stateTable(model),
  due: dueTable(model),
  marks: markTable(model),
  firings: firingTable(model),
})
