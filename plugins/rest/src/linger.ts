import type { Socket } from 'node:net'

/** How often it is looked whether a client still sends. */
const LOOK_MS = 500
/** A client that has sent nothing at so many looks in a row has had time to read its answer. */
const QUIET_LOOKS = 4
/** After so many looks a client that sends without end has had enough of it. */
const MOST_LOOKS = 20

/**
 * Ends a connection in two steps: our side first, the rest once the client has closed too, has been quiet for two seconds,
 * or has gone on sending for ten. Closed at once, unread bytes would make the system reset the connection and drop the
 * answer with it; a client that writes all it has before it reads could not even finish that.
 */
export function closeGently(socket: Socket): void {
  // Looks, and no single timer: between two of them the loop has read what came, however long it was held up.
  let [looks, quiet, seen] = [0, 0, socket.bytesRead]
  const look = () => {
    looks += 1
    quiet = socket.bytesRead === seen ? quiet + 1 : 0
    seen = socket.bytesRead
    if (quiet >= QUIET_LOOKS || looks >= MOST_LOOKS) socket.destroy()
  }
  const looking = setInterval(look, LOOK_MS)
  socket.once('close', () => clearInterval(looking))
  socket.resume()
  socket.end()
}

/** Makes `socket` end gently when the HTTP server ends it. */
export function lingerOnClose(socket: Socket): void {
  socket.destroySoon = () => closeGently(socket)
}
