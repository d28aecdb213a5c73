import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Logger, StartupError } from '@svc/kernel'
import { longReadLimits } from '../long-read-config.ts'
import type { SqliteConfig } from './config.ts'
import { sqliteCode } from './faults.ts'
import { SqliteStore } from './store.ts'

/** Opens the configured file. Throws a StartupError that says what to do. */
export async function openSqlite(config: SqliteConfig, log: Logger): Promise<SqliteStore> {
  const { path, name, pool_size, synchronous } = config
  const file = resolve(path)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return await SqliteStore.open(name, {
      path: file,
      readonly: false,
      synchronous,
      log,
      longReads: longReadLimits(config, pool_size - 1),
    })
  } catch (error) {
    throw explained(file, error)
  }
}

/** What stands in the way, by the start of SQLite's name for it. */
const REASONS: readonly (readonly [start: string, reason: string, hint: string])[] = [
  ['SQLITE_NOTADB', 'is no SQLite database', "Point 'sqlite.path' to another file, or move this one away"],
  ['SQLITE_CORRUPT', 'is damaged', 'Restore it from a backup'],
  ['SQLITE_BUSY', 'is locked by another process', 'Stop that process, or give each server a file of its own'],
  ['SQLITE_READONLY', 'cannot be written', 'Let the user of this process write the file and its folder'],
  [
    'SQLITE_CANTOPEN',
    'cannot be opened',
    "Check that 'sqlite.path' names a file and that its folder can be written",
  ],
]

function explained(file: string, error: unknown): StartupError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const [, reason, hint] = REASONS.find(([start]) => sqliteCode(cause)?.startsWith(start)) ?? [
    '',
    `cannot be opened (${cause instanceof Error ? cause.message : String(cause)})`,
    "Check 'sqlite.path' and the rights on its folder",
  ]
  return new StartupError('sqlite', `the file '${file}' ${reason}`, hint, error)
}
