import { errors, nearest } from '@svc/kernel'
import type { Schedule } from '../schedule.ts'
import type { Setting } from '../setting.ts'

/** The schedule of a name. Throws NOT_FOUND. */
export function scheduleNamed(name: string, { schedules }: Pick<Setting, 'schedules'>): Schedule {
  const found = schedules.get(name)
  if (found !== undefined) return found
  const meant = nearest(name, schedules.keys())
  throw errors.NOT_FOUND({
    message: `There is no schedule '${name.slice(0, 63)}'${meant === undefined ? '' : `: did you mean '${meant}'?`}`,
  })
}
