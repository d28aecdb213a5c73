import type { Socket } from 'node:net'
import { answerLine, type LineAnswer } from './answer-line.ts'
import type { Command, Server } from './command.ts'
import { IDLE_MS } from './limits.ts'
import { createLineReader, type Line } from './line-reader.ts'

/** Answers what arrives on one connection line by line, and reads on only as fast as the answers are taken. */
export function serveConnection(server: Server, commands: readonly Command[]): (socket: Socket) => void {
  return (socket) => {
    const reader = createLineReader()
    let work = Promise.resolve()
    const queue = (lines: readonly Line[], then: () => void) => {
      work = work
        .then(() => answerAll(lines, (line) => answerLine(line, server, commands), socket))
        .then(then)
    }
    socket.setTimeout(IDLE_MS, () => socket.destroy())
    socket.on('error', (error) => server.log.debug({ err: error }, 'management.connection_failed'))
    socket.on('data', (chunk: Buffer) => {
      socket.pause()
      queue(reader.push(chunk), () => socket.resume())
    })
    socket.on('end', () => queue(reader.end(), () => socket.end()))
  }
}

async function answerAll(
  lines: readonly Line[],
  answer: (line: Line) => Promise<LineAnswer>,
  socket: Socket,
): Promise<void> {
  for (const line of lines) {
    const { text, after } = await answer(line)
    if (!socket.write(text, () => after?.())) await drained(socket)
  }
}

/** Waits until the other side has taken what was written, or is gone. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    if (socket.destroyed) resolve()
    else socket.once('drain', done).once('close', done)
  })
}
