import type { Condition } from '@svc/store/contract'
import type { InstanceStatus } from '../tables/instances.ts'
import { LINE } from '../tables/lines.ts'
import { tell } from './bus-events.ts'
import type { Course } from './course.ts'

/** How an instance ends. */
export type End = Exclude<InstanceStatus, 'running' | 'waiting'>

/** The instance has ended. */
export async function finish(course: Course, status: InstanceStatus): Promise<void> {
  const { instance, setting, transaction } = course
  if (instance.until !== null) await setting.timers.cancel(transaction, instance.id)
  course.change({ status, finishedAt: course.at, until: null })
  // One that failed may be set going again, and then hears what came meanwhile.
  if (status !== 'failed') await hearNoMore(course)
  tell(course, status)
}

async function hearNoMore({ instance, setting, transaction }: Course): Promise<void> {
  const where: Condition = {
    op: 'and',
    of: [
      { op: 'eq', column: LINE.instance, value: instance.id },
      { op: 'not', of: { op: 'null', column: LINE.heard } },
    ],
  }
  await transaction.update({ table: setting.tables.lines, set: { heard: null }, where })
}
