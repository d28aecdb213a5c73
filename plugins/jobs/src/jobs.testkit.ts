import { type Config, createKernel, definePlugin, type Kernel, type Plugin, SYSTEM } from '@svc/kernel'
import { column, type Store, StoreCapability, type Table, type Transaction } from '@svc/store/contract'
import { onTestFinished } from 'vitest'
import { type Clock, createClock } from '../../../test/kit/clock.ts'
import { createTestLog, type LogEntry } from '../../../test/kit/log.ts'
import type { StoreUnderTest, TestDatabase } from '../../../test/kit/stores.ts'
import { type Jobs, JobsCapability } from './contract.ts'
import { jobs } from './index.ts'

/** What jobs write, so that tests see what came of them. */
const NOTE = { id: column('id', 'text'), note: column('note', 'text') }
export const NOTES: Table = {
  name: 'notes',
  columns: [NOTE.id, NOTE.note],
  primaryKey: [NOTE.id],
  indexes: [],
  foreignKeys: [],
}

export interface JobServer {
  readonly kernel: Kernel
  readonly store: Store
  readonly clock: Clock
  readonly log: readonly LogEntry[]
  readonly database: TestDatabase
  /** Does all that is due by the clock. */
  tick(): Promise<number>
  /** Puts something by itself. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Everything that was noted, in order of its id. */
  notes(): Promise<readonly string[]>
  stop(): Promise<void>
}

export interface JobServerOptions {
  readonly store: StoreUnderTest
  /** An empty one unless given. */
  readonly database?: TestDatabase
  readonly clock?: Clock
  /** Of the section `jobs`; nothing runs but by `tick` unless said. */
  readonly config?: Config
  readonly plugins?: readonly Plugin[]
  /** Sections of those. */
  readonly sections?: Config
  /** Declares kinds of jobs. */
  declare?(jobs: Jobs, store: Store): void
}

/** A kernel of a store and jobs alone, until the end of the test. */
export async function startJobServer(options: JobServerOptions): Promise<JobServer> {
  const { clock = createClock(), config = { enabled: false }, declare, plugins = [], sections } = options
  const database = options.database ?? (await options.store.open())
  const { logger, entries } = createTestLog()
  const kernel = createKernel({
    config: { ...database.config(), jobs: config, ...sections },
    env: clock,
    log: logger,
    plugins: [
      options.store.plugin,
      jobs,
      ...plugins,
      definePlugin({
        name: 'worker',
        phase: 'domain',
        requires: { jobs: JobsCapability, store: StoreCapability },
        async setup({ jobs, store }) {
          await store.ensure([NOTES])
          declare?.(jobs, store)
        },
      }),
    ],
  })
  await kernel.start()
  onTestFinished(async () => {
    await kernel.stop()
    if (options.database === undefined) await database.drop()
  })
  const store = kernel.get(StoreCapability)
  return {
    kernel,
    store,
    clock,
    log: entries,
    database,
    async tick() {
      const { begun } = (await kernel.callAs(SYSTEM)('jobs.tick', {})) as { begun: number }
      return begun
    },
    transaction: (work) => store.transaction(work),
    async notes() {
      const order = [{ column: NOTE.id, descending: false }]
      const rows = await store.select({ table: NOTES, columns: [NOTE.note], where: { op: 'always' }, order })
      return rows.map(({ note }) => String(note))
    },
    stop: () => kernel.stop(),
  }
}

let last = 0

/** Writes a note; notes are numbered in order. */
export const note = (transaction: Transaction, text: string, id?: string): Promise<number> =>
  transaction.insert({
    table: NOTES,
    values: { id: id ?? String((last += 1)).padStart(8, '0'), note: text },
  })

/** A promise and what settles it. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => undefined
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { passed, open: () => open() }
}
