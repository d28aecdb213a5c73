import { StartupError } from '@svc/kernel'
import { lstat, unlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { MAX_PATH_BYTES } from './limits.ts'

const PATIENCE_MS = 1000

/**
 * Makes sure that a socket can be made at `path`. A socket on which nobody listens is removed; a live one, or
 * anything that is no socket, is left alone and ends the start.
 */
export async function claimPath(path: string): Promise<void> {
  const bytes = Buffer.byteLength(path)
  if (bytes > MAX_PATH_BYTES) {
    refuse(`the socket path '${path}' has ${bytes} bytes`, `Choose one of at most ${MAX_PATH_BYTES} bytes`)
  }
  const found = await entryAt(path)
  if (found === undefined) return
  if (!found.isSocket()) refuse(`'${path}' is there and is no socket`, 'Move it away or choose another path')
  await assertNobodyListens(path)
  await unlink(path)
}

async function entryAt(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    return refuse(`'${path}' cannot be looked at`, "Correct 'management.socket'", error)
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
