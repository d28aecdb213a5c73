import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as TlsServer } from 'node:tls'
import type { Socket } from 'node:net'
import type { Arrival } from '@svc/kernel'
import { Arrivals } from './arrivals.ts'

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

/** Answers a request; `arrival` is what it came in with, absent where it came alone. */
export type Answering = (incoming: IncomingMessage, response: ServerResponse, arrival?: Arrival) => void

/** What is known of a connection on which HTTP is spoken. */
interface Line {
  latest: ServerResponse | undefined
  /** Requests that came before the answer to the one before them had left. */
  waiting: number
  /** Whether a request has waited: what comes behind one may have been read long before it is handed over. */
  hasWaited: boolean
  /** The arrival of its latest request that has one. */
  arrival: Arrival | undefined
  /** Whether the client has only so long to take something of its answer. */
  isTimed: boolean
}

/**
 * How many connections may be open for requests to share an arrival. libuv learns of 1,024 that have something at a time, and
 * where those were all, it looks again before it comes to anything else.
 */
const MOST_SHARING = 500

/** How often it is looked which answers have not left, in milliseconds. */
const LOOK_MS = 1000

/**
 * Follows the connections of `server`, which must not have been listening yet. A connection is answered one request at a
 * time: what a client sends ahead waits until the answer before it has left, and so does what it sends after that. A
 * client that takes no byte of its answer for `patience` milliseconds, and up to a second more, is cut off.
 */
export function trackConnections(server: Server, patience: number): Connections {
  const raw = new Set<Socket>()
  // A WeakMap here would cost a tenth of all time in garbage collection.
  const speaking = new Map<Socket, Line>()
  let draining = false

  const finish = (socket: Socket) => {
    const response = speaking.get(socket)?.latest
    if (response === undefined || response.writableFinished) return socket.destroySoon()
    if (!response.headersSent) response.shouldKeepAlive = false
    response.once('close', () => speaking.get(socket)?.latest === response && socket.destroySoon())
  }

  server.on('connection', (socket: Socket) => {
    raw.add(socket)
    socket.once('close', () => raw.delete(socket))
  })
  // Over TLS, HTTP is spoken on a socket of its own, once the handshake is done.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    speaking.set(socket, {
      latest: undefined,
      waiting: 0,
      hasWaited: false,
      arrival: undefined,
      isTimed: false,
    })
    socket.once('close', () => speaking.delete(socket))
  })
  // In the place of what answers, and before it: a second listener would cost every request a list of the two.
  const answering = server.listeners('request') as Answering[]
  const answer: Answering = (incoming, response, arrival) => {
    for (const listener of answering) listener(incoming, response, arrival)
  }
  const arrivals = new Arrivals()
  /** What a client sends ahead may have been sent after the look that found the request before it. */
  const arrivalOf = (line: Line): Arrival | undefined => {
    if (line.hasWaited || raw.size > MOST_SHARING || line.arrival === arrivals.current) return undefined
    return (line.arrival = arrivals.current)
  }
  server
    .removeAllListeners('request')
    .on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      const { socket } = incoming
      const line = speaking.get(socket)
      const earlier = line?.latest
      if (line !== undefined) line.latest = response
      if (draining) finish(socket)
      if (line === undefined) return answer(incoming, response)
      if (earlier === undefined || earlier.writableFinished)
        return answer(incoming, response, arrivalOf(line))
      afterwards(earlier, line, socket, () => answer(incoming, response))
    })

  const look = () => {
    for (const [socket, line] of speaking) time(socket, line, patience)
  }
  server.once('listening', () => {
    const looking = setInterval(look, Math.min(LOOK_MS, Math.ceil(patience / 2))).unref()
    server.once('close', () => clearInterval(looking))
  })

  return {
    lastResponse: (socket) => speaking.get(socket)?.latest,
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

/**
 * Has a connection end by itself where something waits for its client and nothing of it leaves. Node's `server.timeout`
 * does so too, and sets two timers for every request, of which hardly one waits.
 */
function time(socket: Socket, line: Line, patience: number): void {
  const isWaiting = socket.writableLength > 0
  if (isWaiting === line.isTimed) return
  line.isTimed = isWaiting
  // Behind an answer, Node times how long the connection rests.
  if (isWaiting || line.latest?.writableFinished === false) socket.setTimeout(isWaiting ? patience : 0)
}

/** Begins a request once the answer before it has left, unless the connection ends with that; reads no more until then. */
function afterwards(earlier: ServerResponse, line: Line, socket: Socket, begin: () => void): void {
  line.waiting += 1
  line.hasWaited = true
  socket.pause()
  earlier.once('close', () => {
    line.waiting -= 1
    if (!socket.writable) return
    if (line.waiting === 0) socket.resume()
    begin()
  })
}
