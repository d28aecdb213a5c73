import { parentPort, workerData } from 'node:worker_threads'
import { Connection, type ConnectionOptions } from '../connection.ts'
import type { Answer, Question } from './protocol.ts'

const options: ConnectionOptions = workerData
let connection: Connection | undefined

/** Answers one question after the other, over a connection of its own. */
parentPort?.on('message', (question: Question) => parentPort?.postMessage(answerTo(question)))

function answerTo({ sql, values, isRun }: Question): Answer {
  try {
    connection ??= new Connection(options)
    const begun = performance.now()
    const rows = isRun === undefined ? connection.all(sql, values) : []
    if (isRun === true) connection.run(sql, values)
    return { rows, took: performance.now() - begun }
  } catch (error) {
    const { message, code } = Object(error)
    return { failure: { message: String(message), code: typeof code === 'string' ? code : undefined } }
  }
}
