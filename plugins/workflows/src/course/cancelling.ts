import type { Condition } from '@svc/store/contract'
import { LINE, LIVE } from '../tables/lines.ts'
import { STEP } from '../tables/steps.ts'
import type { Course } from './course.ts'
import type { Line } from './rows.ts'

/** Cancels lines and all that they have begun, as far as they go on: none of their steps begins any more. */
export async function cancelLines(course: Course, lines: readonly Line[]): Promise<void> {
  if (lines.length === 0) return
  const live = await course.live()
  const doomed = new Set(lines.map(({ id }) => id))
  // Lines are in the order in which they began: whoever began one stands before it.
  for (const { id, parent } of live) if (parent !== null && doomed.has(parent)) doomed.add(id)
  await stop(
    course,
    live.filter(({ id }) => doomed.has(id)),
  )
}

/** Cancels every line that goes on. */
export const cancelAll = async (course: Course): Promise<void> => stop(course, await course.live())

async function stop(course: Course, lines: readonly Line[]): Promise<void> {
  if (lines.length === 0) return
  for (const line of lines) await course.changeLine(line, { status: 'cancelled', until: null })
  await rise(course, lines)
  await course.transaction.update({
    table: course.setting.tables.steps,
    set: { status: 'cancelled', finishedAt: course.at },
    where: {
      op: 'and',
      of: [
        { op: 'eq', column: STEP.instance, value: course.instance.id },
        { op: 'in', column: STEP.line, values: lines.map(({ id }) => id) },
        { op: 'in', column: STEP.status, values: ['running', 'waiting'] },
      ],
    },
  })
}

/** These lines do not rest any more: nobody listens for them, and no timer is left. */
export async function rise({ setting, transaction }: Course, lines: readonly Line[]): Promise<void> {
  const resting = lines.filter(({ status }) => status === 'waiting')
  if (resting.length === 0) return
  await setting.waits.leave(
    transaction,
    resting.map(({ id }) => id),
  )
  for (const { id, until } of resting) if (until !== null) await setting.timers.cancel(transaction, id)
}

/** Forgets lines and all that they have begun. */
export async function removeBelow(course: Course, lines: readonly Line[]): Promise<void> {
  for (let level = lines.map(({ id }) => id); level.length > 0;) {
    const below: Condition = { op: 'in', column: LINE.parent, values: level }
    const next = (await course.lines(below)).map(({ id }) => id)
    await course.removeLines(level)
    level = next
  }
}

/** Whether a line goes on. */
export const isLive = ({ status }: Line): boolean => LIVE.includes(status)
