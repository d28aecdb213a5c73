import { addDuration } from '@svc/automation/contract'
import { errors } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { LINE } from '../tables/lines.ts'
import { removeBelow } from './cancelling.ts'
import type { Course } from './course.ts'
import { putTimeout } from './entering.ts'
import { putStep } from './going.ts'
import type { Line } from './rows.ts'
import type { Setting } from './setting.ts'
import { held } from './stopping.ts'

/**
 * Sets every failed and cancelled line of an instance going again at the step where it stopped. Throws NOT_FOUND, and
 * CONFLICT unless the instance has failed.
 */
export async function retry(setting: Setting, transaction: Transaction, id: string): Promise<null> {
  const course = await held(setting, transaction, id)
  const { instance, workflow } = course
  if (instance.status !== 'failed')
    throw errors.CONFLICT({
      message: `The instance is ${instance.status}: only one that failed can be retried`,
    })
  const timeout = workflow.timeout && new Date(addDuration(setting.env.now(), workflow.timeout)).toISOString()
  course.change({ status: 'running', finishedAt: null, error: null, outcome: null, until: timeout ?? null })
  const roots = await course.lines({ op: 'null', column: LINE.parent })
  await removeBelow(
    course,
    roots.filter(({ branch }) => branch !== workflow.start),
  )
  const stopped = await course.lines({ op: 'in', column: LINE.status, values: ['failed', 'cancelled'] })
  for (const line of stopped) await setGoing(course, line)
  await putTimeout(course)
  await course.save()
  return null
}

/** A line that others have begun from waits for them again; any other is at its step. A person has set it off: its depth is 0. */
async function setGoing(course: Course, line: Line): Promise<void> {
  const below = await course.lines({ op: 'eq', column: LINE.parent, value: line.id })
  if (below.length > 0) {
    await course.changeLine(line, { status: 'joining' })
    if (line.entry !== null)
      await course.settle(line.entry, { status: 'running', finishedAt: null, error: null })
    return
  }
  const tries = line.entry === null && line.status === 'cancelled' ? 0 : line.tries + 1
  const again = { status: 'running', turn: line.turn + 1, entry: null, tries, depth: 0 } as const
  await putStep(course, await course.changeLine(line, again))
}
