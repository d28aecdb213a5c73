import { errors } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { assertWellFormed, isCleanText } from '../wellformed.ts'

/** Reads the body where the message has one, and refuses what no action could use. */
export function validate(exchange: Exchange): void | Promise<void> {
  const { query } = exchange.request
  for (const name in query) {
    if (!isCleanText(name) || !isCleanText(query[name]!))
      throw errors.INVALID_QUERY({ message: 'A query parameter has a NUL or a lone surrogate' })
  }
  const { read } = exchange.request
  if (read === undefined) return
  return readBody(exchange, read)
}

async function readBody(exchange: Exchange, read: () => unknown): Promise<void> {
  const body = await read()
  exchange.body = body
  assertWellFormed(body)
}
