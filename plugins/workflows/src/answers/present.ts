import type { Row, Reader, Value } from '@svc/store/contract'
import type { Line } from '../course/rows.ts'
import { isMap, readResult } from '../course/results.ts'
import type { Setting } from '../course/setting.ts'
import type { Step, Workflow } from '../graph/step.ts'
import { LINE } from '../tables/lines.ts'
import { STEP } from '../tables/steps.ts'

/** What whoever looks may see. */
export interface Sight {
  /** A record that was kept, without what may not be read of it. */
  record(resource: string | null, kept: Row | null): Row | null
  /** Whether an item of a list may be told that a step of the workflow goes through. */
  item(step: Step): boolean
  /** Whether a value may be told beside which this was kept. */
  through(veil: Value): boolean
}

type Looking = Pick<Setting, 'tables' | 'texts' | 'rows'>

/** An instance without its steps. */
export async function presentListed(row: Row, setting: Looking, reader: Reader, sight: Sight): Promise<Row> {
  const instance = setting.rows.instance(row)
  const { id, workflow, version, status, depth, startedAt, finishedAt, reason, error } = instance
  const { event, resource, recordId, record, actor, input, inputVeil } = instance
  const shown = isMap(record) ? sight.record(resource, record) : null
  return {
    id,
    workflow,
    version,
    status,
    depth,
    startedAt,
    finishedAt,
    trigger: {
      event,
      resource,
      recordId,
      record: shown,
      actor,
      input: sight.through(inputVeil) ? input : null,
    },
    waitingFor:
      finishedAt === null
        ? await waitingFor(instance.id, await textOf(row, setting, reader), setting, reader)
        : [],
    error: isMap(error) ? { step: null, handler: null, ...error } : null,
    reason,
  }
}

/** An instance with its steps. */
export async function presentInstance(
  row: Row,
  setting: Looking,
  reader: Reader,
  sight: Sight,
): Promise<Row> {
  const { steps: table } = setting.tables
  const { error, reason, ...listed } = await presentListed(row, setting, reader, sight)
  const rows = await reader.select({
    table,
    columns: table.columns,
    where: { op: 'eq', column: STEP.instance, value: String(row['id']) },
    order: [{ column: STEP.place, descending: false }],
  })
  const workflow = rows.some(({ item }) => item !== null) ? await textOf(row, setting, reader) : undefined
  const steps = rows.map((step) => presentStep(setting.rows.step(step), workflow, sight))
  return { ...listed, steps, error: error ?? null, reason: reason ?? null }
}

const textOf = (row: Row, { texts }: Looking, reader: Reader): Promise<Workflow> =>
  texts.of(reader, String(row['workflow']), Number(row['version']))

function presentStep(row: Row, workflow: Workflow | undefined, sight: Sight): Row {
  const { name, kind, status, attempt, startedAt, finishedAt, result, event, error } = row
  return {
    name: name ?? null,
    kind: kind ?? null,
    status: status ?? null,
    attempt: attempt ?? null,
    item: itemOf(row, workflow, sight),
    startedAt: startedAt ?? null,
    finishedAt: finishedAt ?? null,
    result: readResult(result ?? null, (of, record) => sight.record(of, record)),
    event: eventOf(event ?? null, sight),
    error: error ?? null,
  }
}

/** The item of the innermost forEach around a step. */
function itemOf({ item, name }: Row, workflow: Workflow | undefined, sight: Sight): Value {
  if (item === null || item === undefined) return null
  const around = workflow?.forEachAround.get(String(name))
  const step = around === undefined ? undefined : workflow?.steps.get(around)
  return step === undefined || step.kind === 'faulty' || !sight.item(step) ? null : item
}

function eventOf(event: Value, sight: Sight): Value {
  if (!isMap(event)) return null
  const { of, record, previous, transition } = event
  const resource = typeof of === 'string' ? of : null
  const shown = (kept: Value | undefined) => (isMap(kept) ? sight.record(resource, kept) : null)
  return { record: shown(record), previous: shown(previous), transition: transition ?? null }
}

async function waitingFor(
  id: string,
  workflow: Workflow,
  { tables, rows: own }: Looking,
  reader: Reader,
): Promise<readonly Row[]> {
  const rows = await reader.select({
    table: tables.lines,
    columns: tables.lines.columns,
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: LINE.instance, value: id },
        { op: 'eq', column: LINE.status, value: 'waiting' },
      ],
    },
    order: [{ column: LINE.id, descending: false }],
  })
  return rows.map((row) => waitOf(own.line(row), workflow))
}

function waitOf({ step: name, until }: Line, workflow: Workflow): Row {
  const step = workflow.steps.get(name)
  const wait = step?.kind === 'wait' ? step.wait : undefined
  const { resource, events = [], transitions, field, fields, history } = wait?.trigger ?? {}
  return {
    step: name,
    resource: resource?.name ?? null,
    event: events[0] ?? null,
    transition:
      transitions === undefined ? null : transitions.length === 1 ? transitions[0]! : [...transitions],
    field: field ?? null,
    fields: fields ? [...fields] : null,
    history: history ?? null,
    filter: wait?.written ?? null,
    until,
  }
}
