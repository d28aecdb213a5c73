import type { Environment, Logger } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { UNENTERED_MS } from './files.ts'
import { madeAt, monthOf, placeOf } from './place.ts'
import type { ByteStore } from './stores/byte-store.ts'
import { FILE, files } from './table.ts'

/** How often bytes are looked for that belong to no file. */
export const SWEEP_PERIOD_MS = 15 * 60_000
/** So many are looked up at once. */
const PORTION = 500
/** What is still coming, or came no further. */
const ARRIVING = /^\.arriving\/[0-9a-f-]{36}$/
const ARRIVING_FOLDER = '.arriving/'

export interface SweepParts {
  readonly store: Store
  readonly bytes: ByteStore
  readonly env: Environment
  readonly log: Logger
  /** Since when the database knows of files, in milliseconds since 1970. */
  readonly since: number
}

const FOREIGN =
  'They were uploaded before this database knew of files, and are left alone. Look whether the server stands on the right database, or take them away'

/**
 * Makes what takes away the bytes that no file is about, and that have lain so long that none will be: all of them when
 * it runs first, and then those of the last two months. Nothing else in the place is touched, nor what is older than the database:
 * that is some other one's.
 */
export function createSweep(parts: SweepParts): (signal: AbortSignal) => Promise<void> {
  const { store, bytes, env, log, since } = parts
  let isFirst = true
  let foreign = 0

  const sweep = async (keys: readonly string[]) => {
    const ids = keys.flatMap((key) => placeOf(key)?.id ?? [])
    const where = { op: 'in', column: FILE.id, values: ids } as const
    const rows =
      ids.length === 0 ? [] : await store.select({ table: files, columns: [FILE.id], where, order: [] })
    const known = new Set(rows.map((row) => row['id']))
    for (const key of keys) {
      const place = placeOf(key)
      if (place === undefined ? !ARRIVING.test(key) : known.has(place.id)) continue
      if (place !== undefined && madeAt(place) < since) {
        foreign += 1
        continue
      }
      await bytes.remove(key)
      log.info({ key }, 'files.swept')
    }
  }

  return async (signal) => {
    const now = env.now()
    const before = now - UNENTERED_MS
    const places = isFirst ? [''] : [ARRIVING_FOLDER, ...monthsBefore(now)]
    let portion: string[] = []
    for (const place of places)
      for await (const { key, modifiedAt } of bytes.list(place)) {
        if (signal.aborted) return
        if (modifiedAt > before) continue
        portion.push(key)
        if (portion.length < PORTION) continue
        await sweep(portion)
        portion = []
      }
    await sweep(portion)
    if (isFirst && foreign > 0) log.warn({ files: foreign, hint: FOREIGN }, 'files.older_than_database')
    isFirst = false
  }
}

const DAY_MS = 86_400_000

const monthsBefore = (now: number): readonly string[] =>
  [...new Set([monthOf(now), monthOf(now - 31 * DAY_MS)])].map((month) => `${month}/`)
