import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { StartupError } from '@svc/kernel'

/** What the socket answers to one line. */
export type Answer =
  | { readonly ok: true; readonly data: unknown }
  | {
      readonly ok: false
      readonly error: string
      /** The single faults, where there are some. */
      readonly errors?: readonly object[]
      readonly data?: unknown
    }

/** Sends one line to the server that listens at `path`, and waits for its answer. Throws a StartupError. */
export async function askServer(path: string, message: object): Promise<Answer> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    socket.write(`${JSON.stringify(message)}\n`)
    // Once the answer's first line is there, the rest of the stream is nobody's concern.
    for await (const line of createInterface({ input: socket })) return JSON.parse(line) as Answer
  } catch (error) {
    throw unreachable(path, (error as NodeJS.ErrnoException).code ?? String(error))
  } finally {
    socket.destroy()
  }
  throw unreachable(path, 'the server closed the connection')
}

const NOBODY: readonly string[] = ['ENOENT', 'ECONNREFUSED']

function unreachable(path: string, code: string): StartupError {
  return NOBODY.includes(code)
    ? new StartupError('management', `no server listens on '${path}'`, 'Start it, or name its configuration')
    : new StartupError('management', `the server on '${path}' cannot be asked (${code})`)
}
