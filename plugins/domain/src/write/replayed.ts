import { AppError, type Call, Reply } from '@svc/kernel'
import type { Asker } from '../contract/data.ts'
import { REPLAYED } from './once.ts'

/** The requests that were answered with what was answered before. */
const replayed = new WeakSet<NonNullable<Call['request']>>()

/** What is asked was done before, and is not done again. */
export function noteReplayed({ request }: Pick<Asker, 'request'>): void {
  if (request !== undefined) replayed.add(request)
}

/** An answer, which says so where it is one of before. */
export function withReplayed(result: unknown, { request }: Pick<Call, 'request'>): unknown {
  if (request === undefined || !replayed.has(request) || result instanceof AppError) return result
  const reply = result instanceof Reply ? result : new Reply({ data: result })
  const { status, data, meta, content } = reply
  const headers = { ...reply.headers, ...REPLAYED }
  return new Reply({ status, data, headers, ...(meta && { meta }), ...(content && { content }) })
}
