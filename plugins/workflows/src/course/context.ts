import { evaluationOfFacts, type Resource } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { SYSTEM } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { Step } from '../graph/step.ts'
import type { HeardEvent } from '../waits/wait.ts'
import type { Course } from './course.ts'
import { keyOf, readRecord } from './records.ts'
import { isMap, plainResult } from './results.ts'
import type { Line } from './rows.ts'
import { STEP } from '../tables/steps.ts'

/** What a step is done with. */
export interface StepContext {
  readonly context: EvaluationContext
  /** The key of the record at hand. */
  readonly key: Exclude<Value, null> | undefined
  /** The resource of that record. */
  readonly resource: Resource | undefined
}

/** What the expressions of a step find; of a wait, `event` is the one that it asks about. */
export async function contextOf(
  course: Course,
  line: Line,
  step: Step,
  event?: { readonly resource: Resource; readonly heard: HeardEvent },
): Promise<StepContext> {
  const around = await course.around(line)
  const items = await itemsOf(course, around)
  const hand = step.isItem ? items.atHand : await triggering(course, step.resource)
  const variables = {
    ...(await variablesOf(course, around, step)),
    ...items.named,
    ...(event && { transition: event.heard.transition }),
  }
  const about = event ? { resource: event.resource, record: event.heard.record } : hand
  const { env } = course.setting
  const facts = {
    resource: about?.resource,
    record: about?.record,
    previous: event?.heard.previous,
    user: SYSTEM,
    op: 'update',
    variables,
    shapes: step.shapes,
    now: () => env.now(),
  }
  const context = await evaluationOfFacts(facts, step.expressions, course.transaction)
  return { context, key: hand?.resource && hand.key, resource: hand?.resource }
}

interface AtHand {
  readonly resource: Resource | undefined
  readonly record: Row | undefined
  readonly key?: Exclude<Value, null> | undefined
}

/** The record that started the instance: as it is, or as it last was. */
async function triggering(course: Course, resource: Resource | undefined): Promise<AtHand | undefined> {
  const { recordId, last, record } = course.instance
  if (resource === undefined || recordId === null) return undefined
  const present = await readRecord(course.transaction, resource, recordId)
  const kept = isMap(last) ? last : isMap(record) ? record : undefined
  return { resource, record: present ?? kept, key: keyOf(resource, recordId) }
}

interface Items {
  /** By the names that each forEach gives them. */
  readonly named: Readonly<Record<string, Value>>
  /** The innermost that is a record. */
  readonly atHand: AtHand | undefined
}

/** The items that the lines around a step are about. */
async function itemsOf({ workflow, transaction }: Course, around: readonly Line[]): Promise<Items> {
  const named: Record<string, Value> = {}
  let atHand: AtHand | undefined
  for (const [at, { place, item, branch }] of around.entries()) {
    if (place === null) continue
    const parent = around[at + 1]
    const step = parent && workflow.steps.get(parent.step)
    const collection = step?.kind === 'forEach' ? step.collection : undefined
    let value = item
    if (collection?.of === 'records') {
      const { resource } = collection
      const record = await readRecord(transaction, resource, item)
      atHand ??= { resource, record, key: keyOf(resource, item) }
      value = record ?? null
    }
    named['item'] ??= value
    const name = workflow.itemNames.get(branch)
    if (name !== undefined) named[name] ??= value
  }
  return { named, atHand }
}

async function variablesOf(
  course: Course,
  around: readonly Line[],
  { reads }: Step,
): Promise<Readonly<Record<string, Value>>> {
  const { instance } = course
  const { id, workflow: name, startedAt, record, actor, input, error } = instance
  return {
    trigger: { record, actor, input },
    event: around[0]?.event ?? null,
    steps: await stepsOf(course, reads),
    workflow: { id, name, startedAt },
    error,
  }
}

/** What came of the steps that are asked for, each of the last time that it ended. */
async function stepsOf({ instance, setting, transaction }: Course, names: readonly string[]): Promise<Value> {
  const found: Record<string, Value> = {}
  for (const name of names) {
    const [row] = await transaction.select({
      table: setting.tables.steps,
      columns: [STEP.result, STEP.event],
      where: {
        op: 'and',
        of: [
          { op: 'eq', column: STEP.instance, value: instance.id },
          { op: 'eq', column: STEP.name, value: name },
          { op: 'in', column: STEP.status, values: ['completed', 'timed_out'] },
        ],
      },
      order: [{ column: STEP.place, descending: true }],
      limit: 1,
    })
    if (row === undefined) continue
    const { result, event } = setting.rows.step(row)
    found[name] = { result: plainResult(result ?? null), event: event ?? null }
  }
  return found
}
