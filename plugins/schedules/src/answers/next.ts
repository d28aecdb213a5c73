import { domainAction, momentIn } from '@svc/domain/contract'
import { countOf } from '@svc/kernel'
import type { Condition, Reader, Row } from '@svc/store/contract'
import { z } from 'zod'
import { judgeMarks } from '../firing/judge.ts'
import { momentsOf, withinYears } from '../moment.ts'
import { keyText, sourced } from '../records.ts'
import type { Deed, RelativeTiming, Schedule } from '../schedule.ts'
import { momentText, type Setting } from '../setting.ts'
import { scheduleNamed } from './named.ts'
import { tagsSeenBy } from './tags.ts'

const Coming = z.object({
  schedule: z.string().describe('The name of the schedule.'),
  timezone: z.string().describe('The zone whose clocks count.'),
  items: z
    .array(
      z.object({
        at: z.iso.datetime().describe('When it is due.'),
        recordId: z.string().nullable().describe('For which record; null of an occurrence.'),
        tag: z.string().nullable().describe('What the record fires for; null of an occurrence.'),
      }),
    )
    .describe('What comes, the earliest first.'),
})

const Asked = z.strictObject({
  name: z.string().describe('The name of the schedule.'),
  count: z
    .preprocess((given) => countOf('count', given, { limit: 10, most: 100 }), z.int())
    .prefault(10)
    .describe('How many: 10 unless said, brought into 1 to 100.'),
  from: z.string().optional().describe('What comes after this moment; now unless said.'),
})

interface ComingItem {
  readonly at: number
  readonly recordId: string | null
  readonly tag: string | null
}

/** The action that tells when a schedule is due next, whether it is in force or not. */
export const nextAction = (setting: () => Promise<Setting>) =>
  domainAction({
    name: 'next',
    summary: 'Tell when a schedule is due next',
    access: ['admin'],
    routes: ['GET /schedules/:name/next'],
    input: Asked,
    output: Coming,
    async handle({ name, count, from }, call) {
      const around = await setting()
      const schedule = scheduleNamed(name, around)
      const after = from === undefined ? around.env.now() : Date.parse(momentIn('from', from))
      const sees = tagsSeenBy(call, around)
      const items = await coming(schedule, { after, most: count, sees }, around)
      return {
        schedule: schedule.name,
        timezone: schedule.zone,
        items: items.map(({ at, ...item }) => ({ at: momentText(at), ...item })),
      }
    },
  })

interface Range {
  readonly after: number
  readonly most: number
  /** Whether the tags of a deed may be told. */
  sees(deed: Deed): boolean
}

function coming(schedule: Schedule, range: Range, setting: Setting): Promise<readonly ComingItem[]> {
  return schedule.timing.kind === 'relative'
    ? comingRecords(schedule, schedule.timing, range, setting)
    : Promise.resolve(occurrences(schedule, range, setting))
}

function occurrences(
  { timing, zone, name }: Schedule,
  { after, most }: Range,
  setting: Setting,
): readonly ComingItem[] {
  if (timing.kind === 'relative') return []
  const { since } = setting.stateOf(name)
  const items: ComingItem[] = []
  for (let at = timing.recurrence.next(after, zone, since); at !== undefined && items.length < most;) {
    items.push({ at, recordId: null, tag: null })
    at = timing.recurrence.next(at, zone, since)
  }
  return items
}

/** How many records are read at once for each deed. */
const PORTION = 200
const DAY_MS = 86_400_000

async function comingRecords(
  schedule: Schedule,
  timing: RelativeTiming,
  range: Range,
  setting: Setting,
): Promise<readonly ComingItem[]> {
  const found: ComingItem[] = []
  for (const deed of schedule.deeds) found.push(...(await comingOf(schedule, timing, deed, range, setting)))
  return found.sort((a, b) => a.at - b.at || compare(a.recordId ?? '', b.recordId ?? '')).slice(0, range.most)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** By the date, which says in what order one deed is due for the records. */
async function comingOf(
  schedule: Schedule,
  timing: RelativeTiming,
  deed: Deed,
  { after, most, sees }: Range,
  setting: Setting,
): Promise<readonly ComingItem[]> {
  const { source } = schedule
  const { column } = timing.relativeTo
  if (source === undefined || column === undefined) return []
  const found: ComingItem[] = []
  const least =
    after +
    (deed.daysUntil ?? 0) * DAY_MS -
    (deed.daysUntil === undefined ? timing.offset.ms * 1.1 : 0) -
    3 * DAY_MS
  const bound = momentText(withinYears(least))
  const where: Condition = {
    op: 'and',
    of: [
      { op: 'gte', column, value: timing.isDate ? bound.slice(0, 10) : bound },
      sourced(schedule, undefined, setting),
    ],
  }
  for (let offset = 0; ; offset += PORTION) {
    const rows = await setting.data.reader.select({
      table: source.resource.table,
      columns: source.resource.columns,
      where,
      order: [
        { column, descending: false },
        { column: source.key, descending: false },
      ],
      offset,
      limit: PORTION,
    })
    const open = await openOf(schedule, deed, rows, after, setting.data.reader, setting)
    found.push(...(sees(deed) ? open : open.map((item) => ({ ...item, tag: null }))))
    if (found.length >= most || rows.length < PORTION) return found.slice(0, most)
  }
}

async function openOf(
  schedule: Schedule,
  deed: Deed,
  rows: readonly Row[],
  after: number,
  reader: Reader,
  setting: Setting,
): Promise<readonly ComingItem[]> {
  const { source, name } = schedule
  if (source === undefined) return []
  const { firstAt } = setting.stateOf(name)
  const due = rows.flatMap((record) =>
    momentsOf(schedule, record, firstAt)
      .filter((one) => one.deed === deed && one.at > after)
      .map(({ at }) => ({ record, at })),
  )
  const open = await judgeMarks(schedule, deed, due, reader, setting)
  return open.map(({ record, at, tag }) => ({ at, recordId: keyText(source, record), tag }))
}
