import type { Close, Logger } from '@svc/kernel'
import { StartupError } from '@svc/kernel'
import { createServer, type Server, type Socket } from 'node:net'
import { textOf } from './answer-line.ts'
import { claimPath } from './claim-path.ts'
import { MAX_CONNECTIONS } from './limits.ts'

/** Opens the socket for its owner alone; the returned function ends every connection and removes the file. */
export async function listen(path: string, serve: (socket: Socket) => void, log: Logger): Promise<Close> {
  await claimPath(path)
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (open.size >= MAX_CONNECTIONS) return refuse(socket, log)
    open.add(socket.once('close', () => open.delete(socket)))
    serve(socket)
  })
  await bind(server, path)
  server.on('error', (error) => log.error({ err: error }, 'management.listener_failed'))
  log.info({ socket: path }, 'management.listening')
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of open) socket.destroy()
    })
}

/** Opens the socket where nobody asked for it; where that cannot be, the server goes on without and says why. */
export async function listenIfPossible(
  path: string,
  serve: (socket: Socket) => void,
  log: Logger,
): Promise<Close | void> {
  try {
    return await listen(path, serve, log)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    log.warn({ reason: error.message }, 'management.off')
  }
}

/** One line says why, and the connection is over. */
function refuse(socket: Socket, log: Logger): void {
  log.warn({ limit: MAX_CONNECTIONS }, 'management.connection_refused')
  socket.on('error', () => undefined)
  socket.write(textOf({ ok: false, error: `${MAX_CONNECTIONS} connections are open: close one of them` }))
  socket.destroySoon()
}

/** The file is made inside `listen`, before it returns: under this mask it never has wider rights than 0600. */
function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', (error) =>
      reject(
        new StartupError(
          'management',
          `cannot open the socket '${path}' (${error.message})`,
          "Correct 'management.socket', or the rights of its folder",
          error,
        ),
      ),
    )
    const mask = process.umask(0o177)
    try {
      server.listen(path)
    } finally {
      process.umask(mask)
    }
  })
}
