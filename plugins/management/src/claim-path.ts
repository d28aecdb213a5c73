import { StartupError } from '@svc/kernel'
import { constants, existsSync } from 'node:fs'
import { access, lstat, mkdir, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import { MAX_PATH_BYTES } from './limits.ts'

const PATIENCE_MS = 1000
const CORRECT = "Correct 'management.socket', or the rights of its folder"

/**
 * Makes sure that a socket can be made at `path`, and changes nothing: a stale one may stand there, a live one or
 * anything that is no socket may not. Throws a StartupError.
 */
export async function assertClaimable(path: string): Promise<void> {
  await findStale(path)
  const folder = nearestFolder(dirname(resolve(path)))
  await access(folder, constants.W_OK | constants.X_OK).catch((error: unknown) =>
    refuse(`the folder '${folder}' may not be written by this process`, CORRECT, error),
  )
}

/** Makes room for a socket at `path`: its folder is made, and a socket on which nobody listens is removed. */
export async function claimPath(path: string): Promise<void> {
  const isStale = await findStale(path)
  try {
    if (isStale) await unlink(path)
    else await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  } catch (error) {
    refuse(`no socket can be made at '${path}' (${codeOf(error)})`, CORRECT, error)
  }
}

/** Whether a socket without a listener stands at `path`. Throws a StartupError for what is to be left alone. */
async function findStale(path: string): Promise<boolean> {
  const bytes = Buffer.byteLength(path)
  if (bytes > MAX_PATH_BYTES) {
    refuse(
      `the socket path '${path}' has ${bytes} bytes`,
      `Set 'management.socket' to one of at most ${MAX_PATH_BYTES} bytes, or to false`,
    )
  }
  const found = await entryAt(path)
  if (found === undefined) return false
  if (!found.isSocket()) refuse(`'${path}' is there and is no socket`, 'Move it away or choose another path')
  await assertNobodyListens(path)
  return true
}

/** The folder itself, or the one that it would be made in. */
function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

async function entryAt(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    return refuse(`'${path}' cannot be looked at`, CORRECT, error)
  }
}

async function assertNobodyListens(path: string): Promise<void> {
  const outcome = await tryConnect(path)
  if (outcome === 'ECONNREFUSED') return
  if (outcome === 'connected')
    refuse(`another process listens on '${path}'`, 'Stop it or choose another path')
  refuse(
    `whether a process listens on '${path}' cannot be told (${outcome})`,
    'Remove the file or choose another path',
  )
}

/** Answers 'connected', or the code of what went wrong. */
function tryConnect(path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const end = (outcome: string) => {
      socket.destroy()
      resolve(outcome)
    }
    socket.once('connect', () => end('connected'))
    socket.once('error', (error) => end(codeOf(error)))
    socket.setTimeout(PATIENCE_MS, () => end('no answer'))
  })
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

function refuse(reason: string, hint: string, cause?: unknown): never {
  throw new StartupError('management', reason, hint, cause)
}
