import type { Environment } from '@svc/kernel'
import { Increment, type Reader, type Store, type Transaction } from '@svc/store/contract'
import { eq, numberIn } from './rows.ts'
import { changes } from './tables.ts'

/** How old the knowledge of another server's changes may be, in milliseconds. */
const PATIENCE_MS = 1000
const { table, columns } = changes
const theRow = eq(columns.id, 1)

/**
 * Notices that another server on the same database took or gave a right. One number in the database counts such
 * changes; it is read at most once a second, whatever the number of callers. This server's own changes are known
 * at once and do not count.
 */
export interface ForeignChanges {
  /** Grows with every change that another server made. */
  readonly seen: number
  /** Whether the number should be read before anything remembered is believed. */
  isDue(): boolean
  /** Reads the number; those who ask at the same time share one read. */
  look(): Promise<void>
  /** Takes note of a change that this server made; `version` is what `countChange` answered. */
  own(version: number): void
}

/** Counts a change within its own transaction. */
export async function countChange(transaction: Transaction): Promise<number> {
  const set = { version: new Increment(1) }
  const { rows } = await transaction.update({ table, set, where: theRow, returning: [columns.version] })
  const [row] = rows
  if (row === undefined) throw new Error(`table '${table.name}' has lost its row`)
  return numberIn(row, columns.version)
}

/** Starts to watch; the counter is made where it is not there yet. */
export async function watchChanges(store: Store, env: Environment): Promise<ForeignChanges> {
  await store.transaction((transaction) =>
    transaction.insert({ table, values: { id: 1, version: 0 }, onConflict: 'ignore' }),
  )
  let known = await readVersion(store)
  let lookedAt = env.now()
  let seen = 0
  let looking: Promise<void> | undefined

  const look = async (): Promise<void> => {
    const startedAt = env.now()
    const version = await readVersion(store)
    // A read that is older than an own change steps back: that costs a look too many, and misses nothing.
    if (version !== known) seen++
    known = version
    lookedAt = startedAt
  }

  return {
    get seen() {
      return seen
    },
    isDue() {
      const age = env.now() - lookedAt
      return age >= PATIENCE_MS || age < 0
    },
    look: () => (looking ??= look().finally(() => (looking = undefined))),
    own(version) {
      if (version !== known + 1) seen++
      known = version
    },
  }
}

async function readVersion(reader: Reader): Promise<number> {
  const [row] = await reader.select({ table, columns: [columns.version], where: theRow, order: [], limit: 1 })
  if (row === undefined) throw new Error(`table '${table.name}' has lost its row`)
  return numberIn(row, columns.version)
}
