import { boundedName, type Model } from '@svc/domain/contract'
import { column, type Column, type Condition, type Table } from '@svc/store/contract'
import type { InstanceStatus } from './instances.ts'

/** What may become of a step: the same as of an instance. */
export type StepStatus = InstanceStatus

/** The columns of a step that was begun. */
export const STEP = {
  instance: column('instance', 'uuid'),
  /** Its place among the steps of the instance, in the order in which they began; from 1. */
  place: column('place', 'integer'),
  line: column('line', 'uuid'),
  name: column('name', 'text'),
  kind: column('kind', 'text'),
  status: column('status', 'text'),
  /** Which try of the step it is that is told of, from 1. */
  attempt: column('attempt', 'integer'),
  /** The item that it was about. */
  item: column('item', 'json', true),
  startedAt: column('startedAt', 'datetime'),
  finishedAt: column('finishedAt', 'datetime', true),
  result: column('result', 'json', true),
  event: column('event', 'json', true),
  error: column('error', 'json', true),
  /** The record that its result or its event is one of, where that is one: what is kept of it is found by this. */
  resource: column('resource', 'text', true),
  recordId: column('recordId', 'text', true),
}

/** The table of the steps of a domain's instances. */
export function stepTable({ name }: Pick<Model, 'name'>): Table {
  const table = boundedName([name, 'workflows', 'steps'])
  const { instance, place, name: step, resource, recordId } = STEP
  const there = (of: Column): Condition => ({ op: 'not', of: { op: 'null', column: of } })
  return Object.freeze({
    name: table,
    columns: Object.values(STEP),
    primaryKey: [instance, place],
    indexes: [
      { name: boundedName([table, 'name', 'idx']), columns: [instance, step, place], unique: false },
      {
        name: boundedName([table, 'record', 'idx']),
        columns: [recordId, resource, instance],
        unique: false,
        where: there(recordId),
      },
    ],
    foreignKeys: [],
  })
}
