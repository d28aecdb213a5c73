import type { Condition, Store } from '@svc/store/contract'
import type { Settings } from './course/working.ts'
import { INSTANCE } from './tables/instances.ts'
import { LINE } from './tables/lines.ts'
import { STEP } from './tables/steps.ts'
import { TEXT_OF } from './tables/texts.ts'
import type { Setting } from './course/setting.ts'

const DAY_MS = 86_400_000
/** Instances that one transaction removes: other writers wait for it. */
const SLICE = 100

/** Removes instances that were over so many days ago, with all that they keep, and texts that nobody keeps to. */
export async function sweepInstances(
  settings: Settings,
  store: Store,
  now: number,
  days: number,
): Promise<void> {
  for (const setting of settings.values()) {
    const until = new Date(now - days * DAY_MS).toISOString()
    while (await removeSlice(setting, store, until));
    await removeTexts(setting, store, new Date(now - DAY_MS).toISOString())
  }
}

async function removeSlice({ tables }: Setting, store: Store, until: string): Promise<boolean> {
  const { instances, lines, steps } = tables
  const rows = await store.select({
    table: instances,
    columns: [INSTANCE.id],
    where: { op: 'lt', column: INSTANCE.finishedAt, value: until },
    order: [{ column: INSTANCE.finishedAt, descending: false }],
    limit: SLICE,
  })
  if (rows.length === 0) return false
  const values = rows.map(({ id }) => String(id))
  await store.transaction(async (transaction) => {
    await transaction.remove({ table: steps, where: { op: 'in', column: STEP.instance, values } })
    await transaction.remove({ table: lines, where: { op: 'in', column: LINE.instance, values } })
    await transaction.remove({ table: instances, where: { op: 'in', column: INSTANCE.id, values } })
  })
  return rows.length === SLICE
}

/** Texts of before a day that are not in force: their waits would be listened to in vain. */
async function removeTexts({ tables, texts }: Setting, store: Store, before: string): Promise<void> {
  const { instances, texts: table } = tables
  const unused: Condition = {
    op: 'not',
    of: {
      op: 'exists',
      table: instances,
      on: [
        [INSTANCE.workflow, TEXT_OF.workflow],
        [INSTANCE.version, TEXT_OF.version],
      ],
      where: { op: 'always' },
    },
  }
  const inForce = await Promise.all(
    [...texts.inForce.keys()].map(async (name): Promise<Condition> => {
      const version = (await texts.knownVersion(store, name)) ?? 0
      return {
        op: 'not',
        of: {
          op: 'and',
          of: [
            { op: 'eq', column: TEXT_OF.workflow, value: name },
            { op: 'eq', column: TEXT_OF.version, value: version },
          ],
        },
      }
    }),
  )
  const old: Condition = { op: 'lt', column: TEXT_OF.at, value: before }
  await store.transaction((transaction) =>
    transaction.remove({ table, where: { op: 'and', of: [old, unused, ...inForce] } }),
  )
}
