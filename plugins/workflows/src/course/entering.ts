import { addDuration } from '@svc/automation/contract'
import type { Transaction, Value } from '@svc/store/contract'
import type { Workflow } from '../graph/step.ts'
import { tell } from './bus-events.ts'
import { Course, MAX_KEPT } from './course.ts'
import { finish } from './ending.ts'
import { putStep } from './going.ts'
import type { Instance, Line } from './rows.ts'
import type { Setting } from './setting.ts'
import { waitsOf } from '../texts/texts.ts'

/** A write that is so deep starts no workflow. */
export const MAX_DEPTH = 8

/** What sets an instance going. */
export interface Entry {
  readonly workflow: Workflow
  readonly depth: number
  /** What happened to the record; null where the instance is started otherwise. */
  readonly event: string | null
  readonly resource: string | null
  readonly recordId: string | null
  /** The record as the write left it. */
  readonly record: Value
  readonly actor: { readonly id: string | null; readonly username: string | null }
  readonly input: Value
  /** Of `veilOf`: what that is made of, where not everybody may be told it. */
  readonly inputVeil: Value
}

/** Enters an instance in a transaction that the caller commits: it is there with that; answers its id. */
export async function enter(setting: Setting, transaction: Transaction, entry: Entry): Promise<string> {
  const { workflow, depth, event, resource, recordId, record, actor, input, inputVeil } = entry
  const version = await setting.texts.version(transaction, workflow)
  const { env, newId, rows, tables } = setting
  const now = env.now()
  const id = newId()
  const instance: Instance = {
    id,
    workflow: workflow.name,
    version,
    status: 'running',
    depth,
    startedAt: new Date(now).toISOString(),
    finishedAt: null,
    until: null,
    event,
    resource,
    recordId,
    record,
    last: null,
    actor: { ...actor },
    input,
    inputVeil,
    error: null,
    reason: null,
    outcome: null,
    steps: 0,
    kept: sizeOf(record) + sizeOf(input),
    busy: 1,
    resting: 0,
  }
  const failure = failureOf(instance)
  const until =
    workflow.timeout === undefined ? null : new Date(addDuration(now, workflow.timeout)).toISOString()
  const begun: Instance = failure === undefined ? { ...instance, until } : { ...instance, busy: 0 }
  await transaction.insert({ table: tables.instances, values: rows.kept('instances', begun) })
  const line = firstLine(setting, begun, workflow, await heardAtStart(workflow, setting, transaction))
  await transaction.insert({
    table: tables.lines,
    values: rows.kept('lines', { ...line, status: failure === undefined ? 'running' : 'failed' }),
  })
  const course = new Course(setting, transaction, begun, workflow)
  if (failure === undefined) await setOff(course, line)
  else {
    course.change({ error: { step: null, ...failure }, outcome: 'failed' })
    await finish(course, 'failed')
    await course.save()
  }
  return id
}

/** Lines that come to no wait have nothing to hear. */
const heardAtStart = async (workflow: Workflow, { waits }: Setting, transaction: Transaction) =>
  waitsOf(workflow).length === 0 ? null : waits.now(transaction)

async function setOff(course: Course, line: Line): Promise<void> {
  await putStep(course, line)
  await putTimeout(course)
  tell(course, 'started')
}

/** Puts the end of the time of an instance. */
export async function putTimeout({ setting, transaction, instance }: Course): Promise<void> {
  const { id, until } = instance
  if (until === null) return
  const timer = { domain: setting.model.name, instance: id, until }
  await setting.timers.put(transaction, timer, { at: until, key: id })
}

function firstLine(
  setting: Setting,
  { id, depth }: Instance,
  { start }: Workflow,
  heard: string | null,
): Line {
  return {
    id: setting.newId(),
    instance: id,
    parent: null,
    branch: start,
    step: start,
    status: 'running',
    turn: 1,
    tries: 0,
    entry: null,
    depth,
    heard,
    until: null,
    event: null,
    items: null,
    place: null,
    item: null,
    result: null,
  }
}

/** Why an instance never begins. */
function failureOf({ depth, kept }: Instance) {
  if (depth >= MAX_DEPTH)
    return {
      code: 'TOO_DEEP',
      message: `The write was ${depth} deep, one brought about by the other: what is ${MAX_DEPTH} deep starts no workflow`,
    }
  if (kept <= MAX_KEPT) return undefined
  return {
    code: 'TOO_LARGE',
    message: `An instance keeps at most ${MAX_KEPT} characters of JSON, and it begins with ${kept}`,
  }
}

const sizeOf = (value: Value): number => (value === null ? 0 : JSON.stringify(value).length)
