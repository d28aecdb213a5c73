import type { Transaction } from '@svc/store/contract'
import type { WaitStep } from '../graph/step.ts'
import type { EventWait, Resting } from '../waits/wait.ts'
import { contextOf } from './context.ts'
import { Course } from './course.ts'
import type { Line } from './rows.ts'
import type { Setting } from './setting.ts'
import { INSTANCE } from '../tables/instances.ts'
import { LINE } from '../tables/lines.ts'

/** A line at a wait, as whoever listens for it sees it. */
export function restingOf(course: Course, line: Line, step: WaitStep, wait: EventWait): Resting {
  const { setting, instance, workflow } = course
  return {
    domain: setting.model.name,
    instance: instance.id,
    workflow: workflow.name,
    line: line.id,
    turn: line.turn,
    step: step.name,
    wait,
    heard: line.heard,
    until: line.until,
    async context(transaction, event) {
      const reading = transaction === course.transaction ? course : course.within(transaction)
      const about = event && { resource: wait.trigger.resource, heard: event }
      return (await contextOf(reading, line, step, about)).context
    },
  }
}

/** A line that rests at a wait for an event; undefined where it does not, or no longer at this turn. It holds nothing. */
export async function findResting(
  setting: Setting,
  transaction: Transaction,
  id: string,
  turn?: number,
): Promise<Resting | undefined> {
  const { lines, instances } = setting.tables
  const [found] = await transaction.select({
    table: lines,
    columns: lines.columns,
    where: { op: 'eq', column: LINE.id, value: id },
    order: [],
  })
  const line = found && setting.rows.line(found)
  if (line?.status !== 'waiting' || (turn !== undefined && line.turn !== turn)) return undefined
  const [row] = await transaction.select({
    table: instances,
    columns: instances.columns,
    where: { op: 'eq', column: INSTANCE.id, value: line.instance },
    order: [],
  })
  if (row === undefined) return undefined
  const instance = setting.rows.instance(row)
  const workflow = await setting.texts.of(transaction, instance.workflow, instance.version)
  const step = workflow.steps.get(line.step)
  if (step?.kind !== 'wait' || step.wait === undefined) return undefined
  return restingOf(new Course(setting, transaction, instance, workflow), line, step, step.wait)
}
