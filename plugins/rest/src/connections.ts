import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:tls'
import type { Socket } from 'node:net'

/** The open connections of a server. */
export interface Connections {
  /** The latest response that was begun on a connection. */
  lastResponse(socket: Socket): ServerResponse | undefined
  /**
   * Takes no new connection, closes those at rest, lets the others finish what they have begun, and resolves
   * once all are gone; what is still there after `milliseconds` is cut off.
   */
  drain(milliseconds: number): Promise<void>
}

/** Follows the connections of `server`, which must not have been listening yet. */
export function trackConnections(server: Server): Connections {
  const raw = new Set<Socket>()
  // With the latest response of each. A WeakMap here would cost a tenth of all time in garbage collection.
  const speaking = new Map<Socket, ServerResponse | undefined>()
  let draining = false

  const finish = (socket: Socket) => {
    const response = speaking.get(socket)
    if (response === undefined || response.writableFinished) return socket.destroySoon()
    if (!response.headersSent) response.shouldKeepAlive = false
    response.once('close', () => speaking.get(socket) === response && socket.destroySoon())
  }

  server.on('connection', (socket: Socket) => {
    raw.add(socket)
    socket.once('close', () => raw.delete(socket))
  })
  // Over TLS, HTTP is spoken on a socket of its own, once the handshake is done.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    speaking.set(socket, undefined)
    socket.once('close', () => speaking.delete(socket))
  })
  // In the place of what answers, and before it: a second listener would cost every request a list of the two.
  const answering = server.listeners('request') as RequestListener[]
  server
    .removeAllListeners('request')
    .on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      speaking.set(incoming.socket, response)
      if (draining) finish(incoming.socket)
      for (const answer of answering) answer(incoming, response)
    })

  return {
    lastResponse: (socket) => speaking.get(socket),
    drain: (milliseconds) =>
      new Promise((resolve) => {
        draining = true
        const timer = setTimeout(() => raw.forEach((socket) => socket.destroy()), milliseconds)
        server.close(() => {
          clearTimeout(timer)
          resolve()
        })
        for (const socket of speaking.keys()) finish(socket)
      }),
  }
}
