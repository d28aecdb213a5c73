import { accessSync, constants, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { StartupError } from '@svc/kernel'
import Database from 'better-sqlite3'
import type { SqliteConfig } from './config.ts'

/** Makes sure that the driver loads and that the configured file can be made or written. Throws a StartupError. */
export function checkSqlite({ path }: Pick<SqliteConfig, 'path'>): void {
  loadDriver()
  const file = resolve(path)
  const found = entryAt(file)
  if (found?.isDirectory()) refuse(`'${file}' is a folder`, "Let 'sqlite.path' name a file")
  if (found !== undefined && !may(file, constants.R_OK | constants.W_OK))
    refuse(`the file '${file}' may not be written by this process`, rights(file))
  // The log and the lock stand beside the file, so that the folder has to be written too.
  const folder = nearestFolder(dirname(file))
  if (!entryAt(folder)?.isDirectory())
    refuse(`'${folder}' is no folder, so that '${basename(file)}' cannot be made in it`, CORRECT)
  if (!may(folder, constants.W_OK | constants.X_OK))
    refuse(`the folder '${folder}' may not be written by this process`, rights(folder))
}

/** The driver is native code, which belongs to one version of Node. */
function loadDriver(): void {
  try {
    new Database(':memory:').close()
  } catch (error) {
    throw driverFault(error)
  }
}

/** What keeps the driver from loading, in one line. */
function driverFault(error: unknown): StartupError {
  const message = error instanceof Error ? error.message : String(error)
  const [, built, running] = /NODE_MODULE_VERSION (\d+)\D[^]*NODE_MODULE_VERSION (\d+)/.exec(message) ?? []
  const reason =
    built === undefined
      ? `the SQLite driver cannot be loaded (${message})`
      : `the SQLite driver was built for another version of Node (its modules are of version ${built}, those of this ${process.version} of version ${running})`
  const hint =
    "Run 'npm rebuild better-sqlite3' where svc is installed, or start it with the Node that installed it"
  return new StartupError('sqlite', reason, hint, error)
}

function entryAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // Something on the way to it is no folder, or may not be entered.
    return undefined
  }
}

/** The folder itself, or the one that it would be made in. */
function nearestFolder(folder: string): string {
  const parent = dirname(folder)
  return entryAt(folder) !== undefined || parent === folder ? folder : nearestFolder(parent)
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

const CORRECT = "Correct 'sqlite.path'"
const rights = (path: string) =>
  `Give this process's user the right to write '${path}', or change 'sqlite.path'`

function refuse(reason: string, hint: string): never {
  throw new StartupError('sqlite', reason, hint)
}
