import type { Readable } from 'node:stream'
import { type Action, type Answer, errors, type Pipeline } from '@svc/kernel'
import { readJson } from './body.ts'
import type { RestConfig } from './config.ts'
import type { Deadline, Deadlines } from './deadline.ts'
import { HttpInbound } from './inbound.ts'
import { lingerOnClose } from './linger.ts'
import { answerOf, discard } from './outbound.ts'
import type { Visit } from './visit.ts'

export interface RunOptions {
  readonly config: RestConfig
  readonly pipeline: Pipeline
  readonly deadlines: Deadlines
}

/** Runs `action`; 503 in its place once it took too long. The client's own time for the body does not count. */
export function answerInTime(
  visit: Visit,
  action: Action,
  params: Readonly<Record<string, string>>,
  { config, deadlines, pipeline }: RunOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const deadline: Deadline = {
      due: 0,
      expire() {
        inbound.abandon()
        resolve(tooLate(config.request_timeout_ms))
      },
    }
    const body = visit.body()
    const read = async (source: Readable) => {
      deadlines.stop(deadline)
      try {
        return await readBody(visit, source, config)
      } finally {
        deadlines.start(deadline)
      }
    }
    const inbound = new HttpInbound(visit, params, body && (() => read(body)))
    deadlines.start(deadline)
    pipeline.run(action, inbound).then((answer) => {
      deadlines.stop(deadline)
      if (inbound.abandoned) discard(answer.body)
      else resolve(answer)
    }, reject)
  })
}

const tooLate = (milliseconds: number): Answer =>
  answerOf(errors.UNAVAILABLE({ message: `No answer in ${milliseconds} ms: try again` }))

async function readBody(visit: Visit, body: Readable, config: RestConfig): Promise<unknown> {
  const { method } = visit.request
  if (method === 'GET' || method === 'HEAD')
    throw errors.BAD_REQUEST({ message: `A ${method} request has no body; this one has` })
  try {
    return await readJson(body, visit.meta, {
      bytes: config.body_limit_bytes,
      milliseconds: config.body_timeout_ms,
    })
  } catch (error) {
    if (visit.incoming !== undefined) lingerOnClose(visit.incoming.socket)
    throw error
  }
}
