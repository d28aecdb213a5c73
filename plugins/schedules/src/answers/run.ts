import { onceOf } from '@svc/automation/contract'
import { domainAction, type WriteOptions, type Writes } from '@svc/domain/contract'
import { type Call, errors, Reply } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import { z } from 'zod'
import { judge, type Verdict } from '../firing/judge.ts'
import { keyOf, keyText, mayBeKey, onlyOf, readNext, sourced } from '../records.ts'
import type { Schedule } from '../schedule.ts'
import { momentText, type Setting } from '../setting.ts'
import { scheduleNamed } from './named.ts'
import { tagsSeenBy } from './tags.ts'

const Asked = z.strictObject({
  name: z.string().describe('The name of the schedule.'),
  recordId: z
    .union([z.string().min(1).max(200), z.int()])
    .optional()
    .describe('The key of the one record that is meant; all that are due unless said.'),
  dryRun: z.boolean().default(false).describe('Whether to tell what would happen, and do nothing.'),
})

const Item = z.object({
  recordId: z.string().nullable().describe('The key of the record; null where there is none.'),
  tag: z.string().nullable().describe('What it fires for; null where you may not read what that is made of.'),
  action: z.string().describe('What is done.'),
  outcome: z.enum(['fire', 'skip', 'supersede']).describe('What becomes of it.'),
})

const Run = z.object({
  schedule: z.string().describe('The name of the schedule.'),
  run: z.string().optional().describe('What its firings bear as `run`; absent of a dry run.'),
  plannedAt: z.iso.datetime().describe('The moment for which it is planned.'),
  count: z.int().describe('How many records are seen to; 1 where it is about none.'),
  items: z.array(Item).optional().describe('Of a dry run: what would happen, the first 1,000.'),
})

/** How many items a dry run tells. */
const MOST_ITEMS = 1000
/** How many records are judged at once. */
const PORTION = 500

/** The action that fires a schedule at once, whether it is in force or not. */
export const runAction = (setting: () => Promise<Setting>) =>
  domainAction({
    name: 'run',
    summary: 'Fire a schedule now',
    access: ['admin'],
    routes: ['POST /schedules/:name/run'],
    input: Asked,
    output: Run,
    notes: { status: 202 },
    async handle({ name, recordId, dryRun }, call) {
      const around = await setting()
      const schedule = scheduleNamed(name, around)
      const only = recordId === undefined ? null : await known(String(recordId), schedule, around)
      const plannedAt = around.env.now()
      if (dryRun) return dry({ schedule, plannedAt, only, call }, around)
      const once = onceOf(call, `schedules run ${name}`, { recordId })
      return new Reply({ status: 202, data: await run({ schedule, plannedAt, only, call, once }, around) })
    },
  })

/** The key of a record that is there. Throws NOT_FOUND. */
async function known(given: string, { source, name }: Schedule, { data }: Setting): Promise<string> {
  if (source === undefined)
    throw errors.NOT_FOUND({ message: `The schedule '${name}' is about no records: leave 'recordId' out` })
  const { table } = source.resource
  const [row] = mayBeKey(source, given)
    ? await data.reader.select({
        table,
        columns: [source.key],
        where: { op: 'eq', column: source.key, value: keyOf(source, given) },
        order: [],
        limit: 1,
      })
    : []
  if (row === undefined)
    throw errors.NOT_FOUND({ message: `'${source.resource.name}' has no record '${given.slice(0, 50)}'` })
  return keyText(source, row)
}

async function dry({ schedule, plannedAt, only, call }: Omit<Running, 'once'>, setting: Setting) {
  const sees = tagsSeenBy(call, setting)
  const items: z.output<typeof Item>[] = []
  let count = 0
  for await (const verdicts of verdictsOf(schedule, plannedAt, only, setting)) {
    for (const verdict of verdicts) {
      const told = itemsOf(verdict, sees)
      count += told.length
      items.push(...told.slice(0, MOST_ITEMS - items.length))
    }
  }
  return { schedule: schedule.name, plannedAt: momentText(plannedAt), count, items }
}

type Sees = ReturnType<typeof tagsSeenBy>

const itemsOf = (verdict: Verdict, sees: Sees): readonly z.output<typeof Item>[] => [
  { ...placeOf(verdict, sees), outcome: verdict.outcome },
  ...verdict.superseded.map((due) => ({ ...placeOf(due, sees), outcome: 'supersede' as const })),
]

const placeOf = ({ recordId, tag, deed }: Pick<Verdict, 'recordId' | 'tag' | 'deed'>, sees: Sees) => ({
  recordId: recordId === '' ? null : recordId,
  tag: sees(deed) ? tag : null,
  action: deed.action.kind,
})

interface Running {
  readonly schedule: Schedule
  readonly plannedAt: number
  readonly only: string | null
  readonly call: Call
  readonly once: WriteOptions
}

/** Puts the work of a run, which goes through the records once more, some at a time. */
async function run({ schedule, plannedAt, only, call, once }: Running, setting: Setting) {
  const { data, works, model, newId } = setting
  const id = newId()
  let count = 0
  for await (const verdicts of verdictsOf(schedule, plannedAt, only, setting)) count += verdicts.length
  const at = momentText(plannedAt)
  const { name, timing } = schedule
  const planned = timing.kind === 'recurring' ? [at] : []
  const put = async (writes: Writes) => {
    await works.occur.put(writes, { domain: model.name, schedule: name, run: id, planned, after: null, only })
    return { schedule: name, run: id, plannedAt: at, count }
  }
  return data.write(call, put, once)
}

/** What is to be done about every record that is meant, some records at a time. */
async function* verdictsOf(
  schedule: Schedule,
  plannedAt: number,
  only: string | null,
  setting: Setting,
): AsyncIterable<readonly Verdict[]> {
  const { source, timing } = schedule
  const { data } = setting
  const planned = timing.kind === 'recurring' ? plannedAt : undefined
  const judged = (records: readonly (Row | undefined)[]) =>
    judge(schedule, records, planned, data.reader, setting)
  if (source === undefined) return void (yield await judged([undefined]))
  const asked = onlyOf(source, only, sourced(schedule, planned, setting))
  for (let after: string | null = null; ;) {
    const records: readonly Row[] = await readNext(
      source,
      { after, limit: PORTION, records: asked },
      data.reader,
    )
    yield await judged(records)
    const last = records.at(-1)
    if (last === undefined || records.length < PORTION) return
    after = keyText(source, last)
  }
}
