import { type Automation, ledgerWindow, type Window, windows } from '@svc/automation/contract'
import type { Site } from '@svc/domain/contract'
import type { Schedule } from '../schedule.ts'
import type { Setting } from '../setting.ts'
import type { Tables } from '../tables/tables.ts'
import { firingLedger } from '../firing/answer.ts'
import { nextAction } from './next.ts'
import { retryAction } from './retry.ts'
import { runAction } from './run.ts'
import { scheduleWindow } from './schedules.ts'

/** What administrators can ask of the schedules of a domain. */
export function answersOf(
  schedules: readonly Schedule[],
  tables: Tables,
  automation: Automation,
  site: Pick<Site, 'asWritten' | 'model'>,
  setting: () => Promise<Setting>,
): Window & { settle(): Promise<void> } {
  const firings = ledgerWindow({
    ledger: firingLedger(tables.firings),
    schema: 'Firing',
    words: ['a firing', 'firings'],
    list: { name: 'firings', path: '/schedules/firings' },
    get: 'firing',
  })
  const switching = scheduleWindow(schedules, tables, automation, site)
  const own: Window = {
    actions: [nextAction(setting), runAction(setting), retryAction(setting)],
    openapi: {
      operations: {
        next: {
          description:
            'What comes, whether the schedule is in force or not. Of a relative schedule each record and moment that has not fired yet.',
          failures: [400, 404],
        },
        run: {
          description:
            'Fires at once, in force or not: a recurring schedule as if an occurrence were planned for now, any other as it would by itself now. What has fired does not fire again. A dry run answers 200 with what would happen, and does nothing.',
          headers: ['Idempotency-Key'],
          failures: [404],
        },
        retry: {
          description: 'The firing keeps its marks: nothing fires twice.',
          headers: ['Idempotency-Key'],
          answers: { description: 'The firing', data: { $ref: '#/components/schemas/Firing' } },
          failures: [404, 409],
        },
      },
    },
  }
  // Paths that name a word come before those that take a name.
  return { ...windows(firings, own, switching), settle: () => switching.settle() }
}
