import { type ActionResult, failureOf, isOutOfReach } from '@svc/automation/contract'
import { isForAnybody, type Writes } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'
import { contextOf } from '../context.ts'
import { keyOf, present } from '../records.ts'
import type { Schedule } from '../schedule.ts'
import type { Setting } from '../setting.ts'
import type { DueDeed } from './judge.ts'

/** What came of a deed. */
export interface Done {
  readonly result: Row
  readonly errors: readonly Row[]
}

/** What a deed is done with. */
export interface Doing {
  readonly schedule: Schedule
  readonly writes: Writes
  /** The id of the firing. */
  readonly id: string
  readonly setting: Setting
}

/** Does what is due for one record, or for none: the action, then the notification. */
export async function doOne(due: DueDeed, doing: Doing): Promise<Done> {
  const { deed, context } = due
  const { schedule, writes } = doing
  const key = due.record === undefined ? undefined : keyIn(schedule, due)
  const done = await deed.action.perform({ writes, context, key, source: sourceOf(due, doing), depth: 0 })
  const after = isSame(done, due, schedule)
    ? { ...context, record: done.record ?? context.record ?? null }
    : context
  const told = await deed.notification?.raise(writes, {
    source: sourceOf(due, doing),
    resource: schedule.source?.resource,
    recordId: due.recordId === '' ? null : due.recordId,
    context: after,
    ...(done.enclosure && { enclosure: done.enclosure }),
  })
  return { result: resultOf(done, told ?? []), errors: [] }
}

/** Does what is due for several records at once; `batch` has at least one. */
export async function doBatch(batch: readonly DueDeed[], doing: Doing): Promise<Done> {
  const [first] = batch
  if (first === undefined) throw new Error('a batch has records')
  const { schedule, writes, setting } = doing
  const records = present(batch.map(({ record }) => record))
  const { deed, plannedAt, nextAt } = first
  const whole = await contextOf(
    schedule,
    { plannedAt, nextAt, records },
    { expressions: deed.expressions, reader: writes },
    setting,
  )
  const source = sourceOf(first, doing)
  const neighbours = batch.flatMap(({ context }) =>
    context.record ? [{ record: context.record, neighbours: context.neighbours ?? {} }] : [],
  )
  const done: { readonly result: ActionResult; readonly errors: readonly Row[] } = deed.isEach
    ? { result: {}, errors: await each(batch, whole.variables ?? {}, doing) }
    : {
        result: await deed.action.perform({
          writes,
          context: whole,
          key: undefined,
          source,
          depth: 0,
          batch: neighbours,
        }),
        errors: [],
      }
  const told = await deed.notification?.raise(writes, {
    source,
    resource: schedule.source?.resource,
    recordId: null,
    context: whole,
    batch: neighbours,
    ...(done.result.enclosure && { enclosure: done.result.enclosure }),
  })
  return { result: resultOf(done.result, told ?? []), errors: done.errors }
}

/** Each record by itself: one that cannot be written holds up no other, and has all of them written once more. */
async function each(batch: readonly DueDeed[], variables: Row, doing: Doing): Promise<readonly Row[]> {
  const { writes } = doing
  const perform = (due: DueDeed) =>
    due.deed.action.perform({
      writes,
      context: { ...due.context, variables: { ...variables, ...due.context.variables } },
      key: keyIn(doing.schedule, due),
      source: sourceOf(due, doing),
      depth: 0,
    })
  try {
    await writes.savepoint(async () => {
      for (const due of batch)
        await perform(due).catch((cause: unknown) => {
          throw new Undone(cause)
        })
    })
    return []
  } catch (error) {
    if (!(error instanceof Undone)) throw error
    if (isOutOfReach(error.cause)) throw error.cause
  }
  const errors: Row[] = []
  for (const due of batch) {
    const { recordId } = due
    try {
      await writes.savepoint(() => perform(due))
    } catch (error) {
      if (isOutOfReach(error)) throw error
      const { code, message } = failureOf(error)
      errors.push({ recordId, error_code: code, error_message: message })
    }
  }
  return errors
}

/** One of a batch has failed: what its error leaves is left when it fails by itself. */
class Undone extends Error {
  constructor(cause: unknown) {
    super('one of a batch has failed', { cause })
  }
}

/** Whether an action has written the record at hand. */
const isSame = ({ record, recordId }: ActionResult, due: DueDeed, { source }: Schedule): boolean =>
  record !== undefined && due.deed.action.target === source?.resource && String(recordId) === due.recordId

function keyIn({ source }: Schedule, { recordId }: DueDeed): Exclude<Value, null> | undefined {
  return source === undefined ? undefined : keyOf(source, recordId)
}

/** A message names the tag of its tier, unless not everybody may be told that. */
const sourceOf = ({ deed, tag }: DueDeed, { schedule, id, setting }: Doing) => ({
  kind: 'schedule' as const,
  name: schedule.name,
  step: deed.key === '' || !isForAnybody(deed.tag.made, () => setting.env.now()) ? null : tag,
  id,
})

const resultOf = (
  { recordId, instanceId, documentId, notificationIds = [] }: ActionResult,
  told: readonly string[],
): Row => ({
  recordId: recordId ?? null,
  instanceId: instanceId ?? null,
  documentId: documentId ?? null,
  notificationIds: [...notificationIds, ...told],
})
