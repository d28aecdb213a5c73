import type { Model } from '@svc/domain/contract'
import type { Table } from '@svc/store/contract'
import { connectionTable, stateTable } from './connections.ts'
import { consumerTable } from './consumers.ts'
import { letterTable } from './dead-letters.ts'
import { breakerTable, bucketTable } from './gates.ts'
import { logTable } from './log.ts'
import { occasionTable } from './occasions.ts'
import { runTable } from './runs.ts'
import { seenTable } from './seen.ts'

/** The tables of a domain's integrations. */
export interface Tables {
  readonly runs: Table
  readonly log: Table
  readonly letters: Table
  readonly breakers: Table
  readonly buckets: Table
  readonly seen: Table
  readonly occasions: Table
  readonly connections: Table
  readonly states: Table
  readonly consumers: Table
}

/** Makes them, by the name of the domain. */
export const tablesOf = (model: Pick<Model, 'name'>): Tables => ({
  runs: runTable(model),
  log: logTable(model),
  letters: letterTable(model),
  breakers: breakerTable(model),
  buckets: bucketTable(model),
  seen: seenTable(model),
  occasions: occasionTable(model),
  connections: connectionTable(model),
  states: stateTable(model),
  consumers: consumerTable(model),
})
