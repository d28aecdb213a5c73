import type { Socket } from 'node:net'

/** How long a client that is still sending may go on, so that it finds time to read its answer. */
const LINGER_MS = 500

/**
 * Ends a connection in two steps: our side first, the rest once the client has closed too or half a second is
 * over. Closed at once, unread bytes would make the system reset the connection and drop the answer with it.
 */
export function closeGently(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
  socket.end()
}

/** Makes `socket` end gently when the HTTP server ends it. */
export function lingerOnClose(socket: Socket): void {
  socket.destroySoon = () => closeGently(socket)
}
