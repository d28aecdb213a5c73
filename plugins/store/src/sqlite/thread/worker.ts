import { parentPort, workerData } from 'node:worker_threads'
import type { Part } from '../../part.ts'
import type { RawRows } from '../../rows.ts'
import { Chunks } from '../chunks.ts'
import { Connection, type ConnectionOptions } from '../connection.ts'
import { type Answer, END, type Message, MORE } from './protocol.ts'

const options: ConnectionOptions = workerData
let connection: Connection | undefined
let chunks: Chunks | undefined

/** Answers one message after the other, over a connection of its own. */
parentPort?.on('message', (message: Message) => parentPort?.postMessage(answerTo(message)))

function answerTo(message: Message): Answer {
  try {
    connection ??= new Connection(options)
    const begun = performance.now()
    const part = partFor(message, connection)
    return { ...part, took: performance.now() - begun }
  } catch (error) {
    const { message: text, code } = Object(error)
    return { failure: { message: String(text), code: typeof code === 'string' ? code : undefined } }
  }
}

const NOTHING: Part<RawRows> = { rows: [], length: 0, isLast: true }

function partFor(message: Message, reader: Connection): Part<RawRows> {
  if (message === MORE) return chunks?.next() ?? NOTHING
  if (message === END) {
    chunks?.end()
    return NOTHING
  }
  const { sql, values, isRun, size = Infinity } = message
  if (isRun === true) {
    reader.run(sql, values)
    return NOTHING
  }
  chunks = new Chunks(() => reader.iterate(sql, values), size)
  return chunks.next()
}
