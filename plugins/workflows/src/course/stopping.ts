import { errors } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { cancelAll } from './cancelling.ts'
import { Course } from './course.ts'
import { finish } from './ending.ts'
import { beginLine } from './going.ts'
import type { Setting } from './setting.ts'

const noInstance = (id: string) => errors.NOT_FOUND({ message: `There is no instance '${id}'` })

/** Holds an instance. Throws NOT_FOUND. */
export async function held(setting: Setting, transaction: Transaction, id: string): Promise<Course> {
  const course = await Course.hold(setting, transaction, id)
  if (course === undefined) throw noInstance(id)
  return course
}

/** Cancels an instance: a step in flight has ended by now, and no other begins. Throws NOT_FOUND and CONFLICT. */
export async function cancel(
  setting: Setting,
  transaction: Transaction,
  id: string,
  reason: string | null,
): Promise<null> {
  const course = await held(setting, transaction, id)
  const { status } = course.instance
  if (status !== 'running' && status !== 'waiting')
    throw errors.CONFLICT({
      message: `The instance is ${status}: only one that runs or waits can be cancelled`,
    })
  await cancelAll(course)
  course.change({ reason })
  await finish(course, 'cancelled')
  await course.save()
  return null
}

/** The time of an instance is over: all its lines are cancelled, and what it says for that is done once. */
export async function timeOut(
  setting: Setting,
  transaction: Transaction,
  id: string,
  until: string,
): Promise<void> {
  const course = await Course.hold(setting, transaction, id)
  if (course === undefined || course.instance.finishedAt !== null || course.instance.until !== until) return
  await cancelAll(course)
  course.change({ outcome: 'timed_out', until: null })
  await beginLine(course, { parent: null, branch: 'timeout', depth: 0, heard: null, event: null })
  await course.save()
}
