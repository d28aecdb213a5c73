import { Failure, isOutOfReach } from '@svc/automation/contract'
import { AppError } from '@svc/kernel'
import type { Transaction, Value } from '@svc/store/contract'
import type { WaitStep } from '../graph/step.ts'
import type { Ending } from '../waits/wait.ts'
import { rise } from './cancelling.ts'
import { contextOf } from './context.ts'
import { Course } from './course.ts'
import { waitsOf } from '../texts/texts.ts'
import { failStep } from './failing.ts'
import { goOn } from './going.ts'
import { keptRecord, recordOf } from './records.ts'
import { restingOf } from './resting.ts'
import { soundStep } from './sound.ts'
import type { Line } from './rows.ts'
import type { Setting } from './setting.ts'

/** A rest of a line: whoever finds a later one there comes too late. */
export interface Rest {
  readonly instance: string
  readonly line: string
  readonly turn: number
}

/** Ends the rest of a line; false where it is over already. */
export async function wake(
  setting: Setting,
  transaction: Transaction,
  rest: Rest,
  ending: Ending,
): Promise<boolean> {
  const held = await hold(setting, transaction, rest)
  if (held === undefined) return false
  await end(setting, transaction, rest, held, ending)
  return true
}

/** The time of a rest is over, unless an event came before; `setting.waits.catchUp` was awaited before the transaction. */
export async function wakeInTime(setting: Setting, transaction: Transaction, rest: Rest): Promise<void> {
  const held = await hold(setting, transaction, rest)
  if (held === undefined) return
  await end(setting, transaction, rest, held, await endingInTime(held, transaction))
}

/** What ends a rest whose time is over: of one for an event, what came before that. */
async function endingInTime({ course, line }: Held, transaction: Transaction): Promise<Ending> {
  const { setting, workflow, at } = course
  const step = workflow.steps.get(line.step)
  if (step?.kind === 'wait' && step.wait !== undefined)
    return setting.waits.atDeadline(transaction, restingOf(course, line, step, step.wait))
  const isDeaf = waitsOf(workflow).length === 0
  return {
    by: 'timeout',
    heard: isDeaf ? null : await setting.waits.heardBy(transaction, line.until ?? at, line.heard),
  }
}

interface Held {
  readonly course: Course
  readonly line: Line
}

async function hold(setting: Setting, transaction: Transaction, rest: Rest): Promise<Held | undefined> {
  const course = await Course.hold(setting, transaction, rest.instance)
  const line = await course?.line(rest.line)
  if (course === undefined || line?.status !== 'waiting' || line.turn !== rest.turn) return undefined
  return { course, line }
}

async function end(
  setting: Setting,
  transaction: Transaction,
  rest: Rest,
  held: Held,
  ending: Ending,
): Promise<void> {
  try {
    await transaction.savepoint(() => goFrom(held, ending))
  } catch (error) {
    if (!(error instanceof Failure || error instanceof AppError) || isOutOfReach(error)) throw error
    // Nothing of that is left: the instance is as it was, and fails.
    const again = await hold(setting, transaction, rest)
    if (again === undefined) return
    await rise(again.course, [again.line])
    await failStep(again.course, again.line, error)
    await again.course.save()
  }
}

async function goFrom({ course, line }: Held, ending: Ending): Promise<void> {
  await rise(course, [line])
  const step = soundStep(course, line)
  if (step.kind !== 'wait') throw new Error(`'${line.step}' is no wait`)
  if (ending.by === 'event') await hear(course, line, step, ending)
  else await timeOut(course, line, step, ending.heard)
  await course.save()
}

async function hear(
  course: Course,
  line: Line,
  step: WaitStep,
  { event, heard, depth }: Extract<Ending, { by: 'event' }>,
): Promise<void> {
  const about = step.wait?.trigger.resource
  const { condition } = step
  const context =
    condition === undefined || about === undefined
      ? undefined
      : (await contextOf(course, line, step, { resource: about, heard: event })).context
  const isTrue = condition === undefined || (context !== undefined && condition.holds(context))
  const kept: Value = {
    of: about?.name ?? null,
    record: event.record && about ? keptRecord(event.record, about) : event.record,
    previous: event.previous && about ? keptRecord(event.previous, about) : event.previous,
    transition: event.transition,
  }
  course.keep(kept)
  const record = event.record && about ? recordOf(about, event.record) : {}
  const settled = { status: 'completed', event: kept, finishedAt: course.at, ...record } as const
  if (line.entry !== null) await course.settle(line.entry, settled)
  const taken = { event: kept, heard, depth: Math.max(line.depth, depth) }
  await goOn(course, line, isTrue ? step.next : step.otherwise, null, taken)
}

/** What a timer sets going has been set off by nobody's write: depths count from 0 again. */
async function timeOut(course: Course, line: Line, step: WaitStep, heard: string | null): Promise<void> {
  if (line.entry !== null) await course.settle(line.entry, { status: 'timed_out', finishedAt: course.at })
  await goOn(course, line, step.late, null, { heard, depth: 0 })
}
