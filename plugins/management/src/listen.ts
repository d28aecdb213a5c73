import type { Close, Logger } from '@svc/kernel'
import { StartupError } from '@svc/kernel'
import { createServer, type Server, type Socket } from 'node:net'
import { claimPath } from './claim-path.ts'
import { MAX_CONNECTIONS } from './limits.ts'

/** Opens the socket for its owner alone; the returned function ends every connection and removes the file. */
export async function listen(path: string, serve: (socket: Socket) => void, log: Logger): Promise<Close> {
  await claimPath(path)
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket.once('close', () => open.delete(socket)))
    serve(socket)
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('drop', () => log.warn({ limit: MAX_CONNECTIONS }, 'management.connection_refused'))
  await bind(server, path)
  server.on('error', (error) => log.error({ err: error }, 'management.listener_failed'))
  log.info({ socket: path }, 'management.listening')
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of open) socket.destroy()
    })
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
