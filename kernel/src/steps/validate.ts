import { CappedBody } from '../body.ts'
import { errors } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { assertWellFormed, isCleanText } from '../wellformed.ts'

/** Reads the body where the message has one and the action does not do so by itself, and refuses what no action could use. */
export function validate(exchange: Exchange): void | Promise<void> {
  const { action, request } = exchange
  const { query } = request
  for (const name in query) {
    if (!isCleanText(name) || !isCleanText(query[name]!))
      throw errors.INVALID_QUERY({ message: 'A query parameter has a NUL or a lone surrogate' })
  }
  if (action.rawBody !== undefined) {
    const sent = request.open?.(action.rawBody)
    exchange.rawBody = sent && new CappedBody(sent, action.rawBody.bytes)
    return
  }
  const { read } = request
  if (read === undefined) return
  return readBody(exchange, read)
}

async function readBody(exchange: Exchange, read: () => unknown): Promise<void> {
  const body = await read()
  exchange.body = body
  assertWellFormed(body)
}
