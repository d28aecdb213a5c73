import { createHash } from 'node:crypto'
import { passedOver } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { AppError } from '@svc/kernel'
import type { Reader, Row } from '@svc/store/contract'
import { contextOf } from '../context.ts'
import { momentsOf } from '../moment.ts'
import { keyText, present } from '../records.ts'
import { type Deed, onlyDeed, type Schedule } from '../schedule.ts'
import { momentText, type Setting } from '../setting.ts'
import { unmarked } from './marks.ts'

/** A deed that is due for a record, or for an occurrence without one. */
export interface DueDeed {
  readonly deed: Deed
  readonly record: Row | undefined
  /** Empty where no record is at hand. */
  readonly recordId: string
  readonly tag: string
  readonly plannedAt: number
  readonly nextAt: number | undefined
  readonly context: EvaluationContext
}

/** What is to be done about a record: one deed, and those that it supersedes. */
export interface Verdict extends DueDeed {
  readonly outcome: 'fire' | 'skip'
  readonly superseded: readonly DueDeed[]
  /** Why the record is passed over, where it is. */
  readonly why?: AppError | undefined
}

/**
 * Says what is to be done about records now, in their order; those that have fired already for all that is due are left out.
 * `planned` is the occurrence of a recurring schedule.
 */
export async function judge(
  schedule: Schedule,
  records: readonly (Row | undefined)[],
  planned: number | undefined,
  reader: Reader,
  setting: Setting,
): Promise<readonly Verdict[]> {
  const due: (readonly DueDeed[])[] = []
  const moments = momentsNow(schedule, planned, setting)
  for (const record of records) due.push(await dueDeeds(schedule, record, moments(record), reader, setting))
  const opened = await unmarked(schedule, due.flat(), reader, setting)
  const { source } = schedule
  const passed = source && (await passedOver(source.resource, present(records), reader))
  return due.flatMap((deeds) => {
    const open = deeds.filter((one) => opened.has(one))
    if (open.length === 0) return []
    const why = source && passed?.get(open[0]?.record?.[source.key.name] ?? null)
    return [why === undefined ? verdictOf(open) : { ...verdictOf(open), outcome: 'skip', why }]
  })
}

/** What of a deed is still open for records at these moments, with its tags. */
export async function judgeMarks(
  schedule: Schedule,
  deed: Deed,
  due: readonly { readonly record: Row; readonly at: number }[],
  reader: Reader,
  setting: Setting,
): Promise<readonly { readonly record: Row; readonly at: number; readonly tag: string }[]> {
  const found: (DueDeed & { readonly record: Row })[] = []
  for (const { record, at } of due)
    found.push({
      ...(await dueDeed(schedule, record, { deed, at, nextAt: undefined }, reader, setting)),
      record,
    })
  const open = await unmarked(schedule, found, reader, setting)
  return found
    .filter((one) => open.has(one))
    .map(({ record, plannedAt, tag }) => ({ record, at: plannedAt, tag }))
}

async function dueDeeds(
  schedule: Schedule,
  record: Row | undefined,
  moments: readonly Moment[],
  reader: Reader,
  setting: Setting,
): Promise<readonly DueDeed[]> {
  const found: DueDeed[] = []
  for (const moment of moments) found.push(await dueDeed(schedule, record, moment, reader, setting))
  return found
}

async function dueDeed(
  schedule: Schedule,
  record: Row | undefined,
  { deed, at, nextAt }: Moment,
  reader: Reader,
  setting: Setting,
): Promise<DueDeed> {
  const { expressions } = deed
  const context = await contextOf(
    schedule,
    { record, plannedAt: at, nextAt },
    { expressions, reader },
    setting,
  )
  const tag = boundedTag(deed.tag.of(context) ?? momentText(at))
  const recordId =
    record === undefined || schedule.source === undefined ? '' : keyText(schedule.source, record)
  return { deed, record, recordId, tag, plannedAt: at, nextAt, context }
}

interface Moment {
  readonly deed: Deed
  readonly at: number
  readonly nextAt: number | undefined
}

/** What of a schedule is due now for a record; an occurrence is the same for all. */
function momentsNow(
  schedule: Schedule,
  planned: number | undefined,
  { env, stateOf }: Setting,
): (record: Row | undefined) => readonly Moment[] {
  const { timing, zone, name } = schedule
  const { firstAt, since } = stateOf(name)
  if (timing.kind === 'recurring') {
    const at = planned ?? env.now()
    const moments = [{ deed: onlyDeed(schedule), at, nextAt: timing.recurrence.next(at, zone, since) }]
    return () => moments
  }
  return (record) => {
    if (record === undefined) return []
    const now = env.now()
    const all = momentsOf(schedule, record, firstAt)
    const nextAt = all.find(({ at }) => at > now)?.at
    return all.filter(({ at }) => at <= now).map((one) => ({ ...one, nextAt }))
  }
}

/** Of several tiers that are due the one that is nearest to the date, or farthest after it, is done. */
function verdictOf(open: readonly DueDeed[]): Verdict {
  const [chosen, ...superseded] = [...open].sort((a, b) => (a.deed.daysUntil ?? 0) - (b.deed.daysUntil ?? 0))
  if (chosen === undefined) throw new Error('nothing is due')
  const { skipIf } = chosen.deed
  return { ...chosen, superseded, outcome: skipIf?.holds(chosen.context) === true ? 'skip' : 'fire' }
}

const MOST_TAG_CHARACTERS = 200

/** A tag stands in the ledger: a longer one is kept as its digest. */
const boundedTag = (tag: string): string =>
  tag.length <= MOST_TAG_CHARACTERS ? tag : `sha256:${createHash('sha256').update(tag).digest('base64url')}`
