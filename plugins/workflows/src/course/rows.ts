import type { Row, Value } from '@svc/store/contract'
import type { Sealing } from '../tables/sealing.ts'
import type { Tables } from '../tables/tables.ts'
import { INSTANCE_STATUSES, type InstanceStatus } from '../tables/instances.ts'
import { LINE_STATUSES, type LineStatus } from '../tables/lines.ts'

/** An instance as it is kept. */
export interface Instance {
  readonly id: string
  readonly workflow: string
  readonly version: number
  readonly status: InstanceStatus
  readonly depth: number
  readonly startedAt: string
  readonly finishedAt: string | null
  readonly until: string | null
  readonly event: string | null
  readonly resource: string | null
  readonly recordId: string | null
  readonly record: Value
  readonly last: Value
  readonly actor: Value
  readonly input: Value
  readonly inputVeil: Value
  readonly error: Value
  readonly reason: string | null
  readonly outcome: InstanceStatus | null
  readonly steps: number
  readonly kept: number
  readonly busy: number
  readonly resting: number
}

/** A line as it is kept. */
export interface Line {
  readonly id: string
  readonly instance: string
  readonly parent: string | null
  readonly branch: string
  readonly step: string
  readonly status: LineStatus
  readonly turn: number
  readonly tries: number
  readonly entry: number | null
  readonly depth: number
  readonly heard: string | null
  readonly until: string | null
  readonly event: Value
  readonly items: Value
  readonly place: number | null
  readonly item: Value
  readonly result: Value
}

/** The rows of a domain's instances, as they are read and written: what they hold is sealed and opened here alone. */
export interface Rows {
  instance(row: Row): Instance
  line(row: Row): Line
  /** Of a step what was asked for. */
  step(row: Row): Row
  /** Values of one of the tables, as they are written. */
  kept(table: keyof Pick<Tables, 'instances' | 'lines' | 'steps'>, values: object): Row
}

/** Makes the rows of a domain. */
export const rowsOf = (tables: Tables, sealing: Sealing): Rows => ({
  instance: (row) => instanceOf(sealing.open(tables.instances, row)),
  line: (row) => lineOf(sealing.open(tables.lines, row)),
  step: (row) => sealing.open(tables.steps, row),
  kept: (table, values) => sealing.seal(tables[table], { ...values }),
})

const instanceOf = (row: Row): Instance => ({
  id: text(row, 'id'),
  workflow: text(row, 'workflow'),
  version: number(row, 'version'),
  status: INSTANCE_STATUSES.find((one) => one === row['status']) ?? 'failed',
  depth: number(row, 'depth'),
  startedAt: text(row, 'startedAt'),
  finishedAt: textOrNull(row, 'finishedAt'),
  until: textOrNull(row, 'until'),
  event: textOrNull(row, 'event'),
  resource: textOrNull(row, 'resource'),
  recordId: textOrNull(row, 'recordId'),
  record: row['record'] ?? null,
  last: row['last'] ?? null,
  actor: row['actor'] ?? null,
  input: row['input'] ?? null,
  inputVeil: row['inputVeil'] ?? null,
  error: row['error'] ?? null,
  reason: textOrNull(row, 'reason'),
  outcome: INSTANCE_STATUSES.find((one) => one === row['outcome']) ?? null,
  steps: number(row, 'steps'),
  kept: number(row, 'kept'),
  busy: number(row, 'busy'),
  resting: number(row, 'resting'),
})

const lineOf = (row: Row): Line => ({
  id: text(row, 'id'),
  instance: text(row, 'instance'),
  parent: textOrNull(row, 'parent'),
  branch: text(row, 'branch'),
  step: text(row, 'step'),
  status: LINE_STATUSES.find((one) => one === row['status']) ?? 'failed',
  turn: number(row, 'turn'),
  tries: number(row, 'tries'),
  entry: numberOrNull(row, 'entry'),
  depth: number(row, 'depth'),
  heard: textOrNull(row, 'heard'),
  until: textOrNull(row, 'until'),
  event: row['event'] ?? null,
  items: row['items'] ?? null,
  place: numberOrNull(row, 'place'),
  item: row['item'] ?? null,
  result: row['result'] ?? null,
})

const text = (row: Row, name: string): string => String(row[name] ?? '')
const number = (row: Row, name: string): number => Number(row[name] ?? 0)
const textOrNull = (row: Row, name: string): string | null =>
  (row[name] ?? null) === null ? null : text(row, name)
const numberOrNull = (row: Row, name: string): number | null =>
  (row[name] ?? null) === null ? null : number(row, name)
