import { type Jobs, Postponed } from '@svc/jobs/contract'
import { type Close, type Context, SYSTEM } from '@svc/kernel'
import type { Data } from '@svc/domain/contract'
import type { Store, Transaction } from '@svc/store/contract'
import { z } from 'zod'
import { ENTRY, type Tables } from '../tables.ts'
import { unscrubbed } from './unscrubbed.ts'

/** The pauses before each further try, in milliseconds. */
const DELAYS_MS = [1000, 5000, 10_000, 60_000, ...Array.from({ length: 100 }, () => 600_000)]
/** How long a job waits for its domain to be in force, in milliseconds. */
const ABSENT_MS = 2000
/** A larger file is rewritten by night, in bytes: writes wait meanwhile. */
const LARGE = 1024 ** 3
/** From when to when it is night, in hours of UTC. */
const NIGHT = { from: 2, to: 5 }
const HOUR_MS = 3_600_000

/** Takes from the files of the database what erases and sweeps, and values before they were encrypted, have left in them. */
export interface Scrubs {
  /** Has it done after the erase or the sweep of this transaction, where the store can do so while it works. */
  afterErase(writes: Transaction, domain: string): Promise<void>
  /**
   * Has it done after the change of this transaction, by which values are encrypted that stood in the clear. Where the store cannot do
   * so while it works, the log says what is left to do.
   */
  afterSealing(writes: Transaction, domain: string): Promise<void>
  /** Has it done for every domain that lives here, whatever the store and the hour; answers their names. */
  atOnce(): Promise<readonly string[]>
  enter(living: Living): Close
}

/** A domain whose files are taken care of. */
export interface Living {
  readonly data: Data
  /** Where erases are put on record; undefined where there are none. */
  readonly tables: Tables | undefined
}

/** Declares the work. */
export function createScrubs(jobs: Jobs, store: Store, { env, log }: Pick<Context, 'env' | 'log'>): Scrubs {
  const living = new Map<string, Living>()
  const scrubbing = jobs.kind('privacy.scrub', {
    payload: z.strictObject({
      domain: z.string(),
      isAsked: z.boolean(),
      /** Whether it is about values that were encrypted: no erase is on record then. */
      isSealed: z.boolean().optional(),
    }),
    delaysMs: DELAYS_MS,
    maxRunMs: Infinity,
    workers: 1,
    order: () => 'scrub',
    async run({ domain, isAsked, isSealed }) {
      const found = living.get(domain)
      if (found === undefined) throw absent(domain)
      const { data, tables } = found
      const ids = tables ? await unscrubbed(tables, store) : []
      // What came before has done it for all of them.
      if (ids.length === 0 && !isAsked && isSealed !== true) return
      const bytes = await store.size()
      const wait = untilNight(env.now())
      if (!isAsked && bytes > LARGE && wait > 0)
        throw new Postponed('the database is large: it waits for the night', wait)
      await store.scrub(namesOf(data, tables))
      // Another definition may have come into force meanwhile.
      const present = living.get(domain)
      if (present === undefined) throw absent(domain)
      if (ids.length > 0 && present.tables) await note(ids, present.data, present.tables)
      log.info({ domain, erases: ids.length, bytes, left: await store.size() }, 'privacy.scrubbed')
    },
  })
  /** Notes when the files had nothing left of these. */
  async function note(ids: readonly string[], data: Data, { log: table }: Tables): Promise<void> {
    const set = { scrubbed_at: new Date(env.now()).toISOString() }
    await data.write({ caller: SYSTEM }, async (writes) => {
      for (const id of ids)
        await writes.update({ table, set, where: { op: 'eq', column: ENTRY.id, value: id } })
    })
  }
  return {
    async afterErase(writes, domain) {
      if (store.features.has('scrub')) await scrubbing.put(writes, { domain, isAsked: false })
    },
    async afterSealing(writes, domain) {
      if (store.features.has('scrub'))
        return void (await scrubbing.put(writes, { domain, isAsked: false, isSealed: true }))
      writes.afterCommit(() => log.warn({ domain, command: 'svc privacy scrub' }, 'privacy.scrub_left'))
    },
    async atOnce() {
      const names = [...living.keys()]
      for (const domain of names)
        await store.transaction((writes) => scrubbing.put(writes, { domain, isAsked: true }))
      return names
    },
    enter(own) {
      const { name } = own.data.model
      living.set(name, own)
      return () => {
        if (living.get(name) === own) living.delete(name)
      }
    },
  }
}

const absent = (domain: string): Postponed => new Postponed(`'${domain}' is not in force here`, ABSENT_MS)

/** Every table in which something of a person may have stood. */
const namesOf = (data: Data, tables: Tables | undefined): readonly string[] => [
  ...new Set(
    [
      ...data.model.tables,
      ...[...data.model.resources.values()].flatMap((resource) =>
        data.keeps(resource).map(({ table }) => table),
      ),
      ...data.mentioning.map(({ table }) => table),
      ...Object.values(tables ?? {}),
    ].map(({ name }) => name),
  ),
]

/** How many milliseconds there are until it is night; 0 where it is. */
function untilNight(now: number): number {
  const hour = new Date(now).getUTCHours()
  if (hour >= NIGHT.from && hour < NIGHT.to) return 0
  const begins = new Date(now).setUTCHours(NIGHT.from, 0, 0, 0)
  return (begins > now ? begins : begins + 24 * HOUR_MS) - now
}
