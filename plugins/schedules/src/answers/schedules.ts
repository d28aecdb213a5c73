import { type Automation, switchWindow, type SwitchedEntry } from '@svc/automation/contract'
import type { Data, Site } from '@svc/domain/contract'
import { type NotificationDefinition, shownNotification } from '@svc/notifications/contract'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import type { Schedule } from '../schedule.ts'
import type { Tables } from '../tables/tables.ts'
import { DUE } from '../tables/due.ts'
import { FIRING, FIRING_STATUSES } from '../tables/firings.ts'
import { STATE } from '../tables/states.ts'

interface ShownSchedule extends SwitchedEntry {
  readonly schedule: Schedule
}

/** The actions by which administrators look at schedules, and switch them. */
export const scheduleWindow = (
  schedules: readonly Schedule[],
  tables: Tables,
  { switches }: Automation,
  site: Pick<Site, 'asWritten' | 'model'>,
) =>
  switchWindow<ShownSchedule>({
    key: 'schedules',
    domain: site.model.name,
    site,
    switches,
    entries: schedules.map((schedule) => ({
      name: schedule.name,
      declared: schedule.declared,
      switch: schedule.switch,
      shown: shownOf(schedule),
      schedule,
    })),
    schema: 'Schedule',
    one: 'a schedule',
    shape: SHAPE,
    filters: { resource: 'Only those that are about records of this resource.' },
    facts: (entries, data) => factsOf(entries, tables, data),
  })

const written = (what: string) => z.json().describe(what)
const text = (what: string) => z.string().nullable().describe(what)

const SHAPE = {
  description: text('What it is for.'),
  type: z
    .enum(['recurring', 'relative'])
    .describe('Whether it goes by the clock or by a date of each record.'),
  recurrence: text('When it recurs.'),
  timezone: z.string().describe('The zone whose clocks count.'),
  resource: text('The resource whose records it is about.'),
  source: written('The records that it is about.'),
  relativeTo: text('The date by which it goes.'),
  offset: text('How long after that it is due.'),
  at: text('The time of the day.'),
  tag: text('What a record fires once for.'),
  action: text('What is done.'),
  target: text('What it is done to.'),
  input: written('The values.'),
  transition: text('The transition that is made.'),
  recordId: written('The record that is meant.'),
  skipIf: text('Which records are skipped.'),
  notification: written('What is told.'),
  batched: z.boolean().describe('Whether records are done together.'),
  catchUp: text('Which missed occurrences are made up for.'),
  tiers: written('The tiers.'),
  nextAt: z.iso
    .datetime()
    .nullable()
    .describe('When it is due next; null where it is not, or is not in force.'),
  lastAt: z.iso.datetime().nullable().describe('When its last firing was entered.'),
  lastStatus: z.enum(FIRING_STATUSES).nullable().describe('What has become of that.'),
}

/** A schedule as it is declared, with defaults filled in, but for what of a channel stands in no answer. */
function shownOf({ written: said, timing, zone, source, batched }: Schedule): Row {
  const shown = {
    description: said.description,
    type: timing.kind,
    recurrence: said.recurrence,
    timezone: zone,
    resource: source?.resource.name,
    source: said.source,
    relativeTo: said.relativeTo,
    offset: timing.kind === 'relative' && said.tiers === undefined ? timing.offset.written : undefined,
    at: said.at,
    tag: said.tag,
    action: said.action,
    target: said.target,
    input: said.input ?? {},
    transition: said.transition,
    recordId: said.recordId,
    skipIf: said.skipIf,
    notification: notificationOf(said),
    batched,
    catchUp: timing.kind === 'recurring' ? timing.catchUp : undefined,
    tiers: said.tiers?.map((tier) => ({ ...tier, notification: notificationOf(tier) })),
  }
  const plain = z.record(z.string(), z.json()).parse(JSON.parse(JSON.stringify(shown)))
  return Object.fromEntries(Object.keys(shown).map((key) => [key, plain[key] ?? null]))
}

const notificationOf = ({ notification }: { readonly notification?: NotificationDefinition | undefined }) =>
  notification && shownNotification(notification)

async function factsOf(
  entries: readonly ShownSchedule[],
  tables: Tables,
  data: Data,
): Promise<ReadonlyMap<string, Row>> {
  const facts = new Map<string, Row>()
  for (const { schedule } of entries) {
    const [last] = await data.reader.select({
      table: tables.firings,
      columns: [FIRING.at, FIRING.status],
      where: { op: 'eq', column: FIRING.schedule, value: schedule.name },
      order: [
        { column: FIRING.at, descending: true },
        { column: FIRING.id, descending: true },
      ],
      limit: 1,
    })
    facts.set(schedule.name, {
      nextAt: schedule.switch.enabled ? await nextAt(schedule, tables, data) : null,
      lastAt: last?.['at'] ?? null,
      lastStatus: last?.['status'] ?? null,
    })
  }
  return facts
}

async function nextAt({ name, timing }: Schedule, tables: Tables, { reader }: Data): Promise<string | null> {
  const isRecurring = timing.kind === 'recurring'
  const [row] = isRecurring
    ? await reader.select({
        table: tables.states,
        columns: [STATE.nextAt],
        where: { op: 'eq', column: STATE.name, value: name },
        order: [],
        limit: 1,
      })
    : await reader.select({
        table: tables.due,
        columns: [DUE.at],
        where: {
          op: 'and',
          of: [
            { op: 'eq', column: DUE.schedule, value: name },
            { op: 'not', of: { op: 'null', column: DUE.lookAt } },
          ],
        },
        order: [{ column: DUE.lookAt, descending: false }],
        limit: 1,
      })
  const at = row?.[isRecurring ? 'nextAt' : 'at'] ?? null
  return at === null ? null : String(at)
}
