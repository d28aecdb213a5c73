import { parentPort, workerData } from 'node:worker_threads'
import type { RawRows } from '../../rows.ts'
import { Chunks } from '../chunks.ts'
import { Connection, type ConnectionOptions } from '../connection.ts'
import { type Answer, MORE, type Question } from './protocol.ts'

const options: ConnectionOptions = workerData
let connection: Connection | undefined
let chunks: Chunks | undefined

/** Answers one question after the other, over a connection of its own. */
parentPort?.on('message', (question: Question | typeof MORE) => parentPort?.postMessage(answerTo(question)))

function answerTo(question: Question | typeof MORE): Answer {
  try {
    connection ??= new Connection(options)
    const begun = performance.now()
    const rows = rowsOf(question, connection)
    return { rows, took: performance.now() - begun }
  } catch (error) {
    const { message, code } = Object(error)
    return { failure: { message: String(message), code: typeof code === 'string' ? code : undefined } }
  }
}

function rowsOf(question: Question | typeof MORE, reader: Connection): RawRows {
  if (question === MORE) return chunks?.next() ?? []
  const { sql, values, isRun, size } = question
  if (size !== undefined) {
    chunks = new Chunks(reader.iterate(sql, values), size)
    return chunks.next()
  }
  if (isRun === undefined) return reader.all(sql, values)
  reader.run(sql, values)
  return []
}
