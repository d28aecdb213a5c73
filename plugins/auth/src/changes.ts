import type { Environment } from '@svc/kernel'
import {
  type Condition,
  Increment,
  type Reader,
  type Row,
  type Store,
  type Transaction,
} from '@svc/store/contract'
import { eq, numberIn } from './rows.ts'
import { changes } from './tables.ts'

/** How old the knowledge of another server's changes may be, in milliseconds. */
const PATIENCE_MS = 100
/** From this age on it is renewed ahead of time, so that hardly anybody has to wait for it. */
const EARLY_MS = PATIENCE_MS / 2
const { table, columns } = changes
const theRow = eq(columns.id, 1)

/** Reads the number of changes; it binds no values, so that a transaction can open with it. */
export const READ_VERSION = {
  table,
  columns: [columns.version],
  where: { op: 'always' },
  order: [],
} as const

/**
 * Notices that another server on the same database took or gave a right. One number in the database counts such
 * changes; while requests come it is read at most twenty times a second, whatever the number of callers. This server's
 * own changes are known at once and do not count.
 */
export interface ForeignChanges {
  /** Grows with every change that another server made. */
  readonly seen: number
  /** Whether the number has to be read before anything remembered is believed; one that soon has to be is read aside. */
  isDue(): boolean
  /** Reads the number; those who ask at the same time share one read. */
  look(): Promise<void>
  /** Takes note of a change that this server made; `version` is what `countChange` answered. */
  own(version: number): void
  /** Whether what `READ_VERSION` answered holds no change that this server does not know of. */
  isKnown(rows: readonly Row[]): boolean
  /** Holds in the database while there is no change that this server does not know of. */
  readonly unchanged: Condition
}

/** Counts a change within its own transaction. */
export async function countChange(transaction: Transaction): Promise<number> {
  const set = { version: new Increment(1) }
  const { rows } = await transaction.update({ table, set, where: theRow, returning: [columns.version] })
  return versionIn(rows)
}

/** Starts to watch; the counter is made where it is not there yet. */
export async function watchChanges(store: Store, env: Environment): Promise<ForeignChanges> {
  await store.transaction((transaction) =>
    transaction.insert({ table, values: { id: 1, version: 0 }, onConflict: 'ignore' }),
  )
  let known = await readVersion(store)
  let unchanged = countStandsAt(known)
  const note = (version: number): void => {
    if (version !== known) unchanged = countStandsAt(version)
    known = version
  }
  let lookedAt = env.now()
  let seen = 0
  let looking: Promise<void> | undefined

  const read = async (): Promise<void> => {
    const startedAt = env.now()
    const version = await readVersion(store)
    // A read that is older than an own change steps back: that costs a look too many, and misses nothing.
    if (version !== known) seen++
    note(version)
    lookedAt = startedAt
  }
  const look = () => (looking ??= read().finally(() => (looking = undefined)))

  return {
    get seen() {
      return seen
    },
    isDue() {
      const age = env.now() - lookedAt
      if (age >= 0 && age < EARLY_MS) return false
      // Where it fails, whoever has to wait for the next one hears of it.
      if (looking === undefined) look().catch(() => undefined)
      return age >= PATIENCE_MS || age < 0
    },
    look,
    own(version) {
      if (version !== known + 1) seen++
      note(version)
    },
    isKnown: (rows) => versionIn(rows) === known,
    get unchanged() {
      return unchanged
    },
  }
}

const countStandsAt = (version: number): Condition => ({
  op: 'exists',
  table,
  on: [],
  where: eq(columns.version, version),
})

const readVersion = async (reader: Reader): Promise<number> => versionIn(await reader.select(READ_VERSION))

function versionIn([row]: readonly Row[]): number {
  if (row === undefined) throw new Error(`table '${table.name}' has lost its row`)
  return numberIn(row, columns.version)
}
