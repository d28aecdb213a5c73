import { createServer, type Server } from 'node:net'
import { StartupError } from '@svc/kernel'

/** A place to listen at, and the configuration key that names it. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly key: string
}

const REMEDIES: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ key }) =>
    `Another program, or another port of this configuration, listens there: stop it, or set '${key}' to a free port`,
  EACCES: ({ key }) => `This process may not listen there: set '${key}' to a port above 1023`,
  EADDRNOTAVAIL: () => "Set 'rest.host' to an address of this machine, or to 0.0.0.0 for all of them",
  ENOTFOUND: () => "Set 'rest.host' to an address of this machine, or to 0.0.0.0 for all of them",
}

/** Resolves with the port once `server` listens; throws a StartupError that says what to do. */
export function listen(server: Server, place: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const hint = REMEDIES[error.code ?? '']?.(place)
      reject(
        new StartupError('rest', `cannot listen on ${place.host}:${place.port} (${error.code})`, hint, error),
      )
    }
    server.once('error', onError)
    server.listen(place.port, place.host, () => {
      server.off('error', onError)
      resolve(portOf(server) ?? place.port)
    })
  })
}

/** Throws the StartupError that listening there would throw, and leaves the place free. */
export async function assertFree(place: Place): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  await listen(server, place)
  await new Promise((resolve) => server.close(resolve))
}

function portOf(server: Server): number | undefined {
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}
