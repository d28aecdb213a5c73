import type { Course } from './course.ts'
import type { InstanceStatus } from '../tables/instances.ts'

/** Tells the bus, once it is committed, that an instance has begun or ended. */
export function tell({ instance, setting, transaction }: Course, event: 'started' | InstanceStatus): void {
  const { id, workflow } = instance
  transaction.afterCommit(() => setting.announce(id, workflow, event))
}
