import { join } from 'node:path'

/** Where the socket is to stand. A place that nobody chose never ends a start. */
export interface Place {
  readonly path: string
  readonly isChosen: boolean
}

const NAME = 'svc.sock'

/** The place of the socket: the configured path, or else a name in the process's own folder; undefined for none. */
export function socketPlace(
  socket: string | false | undefined,
  dataFolder: string | undefined,
): Place | undefined {
  if (socket === false) return undefined
  if (socket !== undefined) return { path: socket, isChosen: true }
  return dataFolder === undefined ? undefined : { path: join(dataFolder, NAME), isChosen: false }
}
