import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { CODINGS, readBody } from './body.ts'
import type { OutboundRequest, OutboundResponse } from './contract.ts'
import { OutboundError } from './failure.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
type Method = (typeof METHODS)[number]

/** What the connection says by itself (RFC 9110, section 7.6.1; RFC 9112). */
const OWN_HEADERS =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|proxy-connection|upgrade|te|trailer|expect)$/i

/** A request that is sound, to one url. */
export interface Message {
  readonly method: Method
  readonly headers: Readonly<Record<string, string>>
  readonly body: OutboundRequest['body']
}

/** The parts of a request that are sent. Throws INVALID_REQUEST. */
export function messageOf({
  method = 'GET',
  headers = {},
  credentials = {},
  body,
}: OutboundRequest): Message {
  const known = METHODS.find((one) => one === method)
  if (known === undefined) throw new OutboundError('INVALID_REQUEST', `the method '${method}' is not sent`)
  const all = { 'accept-encoding': CODINGS, ...lowered(headers), ...lowered(credentials) }
  const own = Object.keys(all).find((name) => OWN_HEADERS.test(name))
  if (own !== undefined)
    throw new OutboundError('INVALID_REQUEST', `the header '${own}' is not for the asker to set`)
  return { method: known, headers: all, body }
}

/** How one answer is read. */
export interface Reading {
  readonly maxBodyBytes: number
  readonly excess: 'refuse' | 'cut'
  readonly signal: AbortSignal
}

/** Sends a request once, and reads its answer. */
export async function attempt(
  url: URL,
  { method, headers, body }: Message,
  through: Dispatcher,
  { maxBodyBytes, excess, signal }: Reading,
): Promise<OutboundResponse> {
  const answer = await through.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    ...sent(headers, body),
    signal,
  })
  const received = joined(answer.headers)
  const coding = method === 'HEAD' ? undefined : received['content-encoding']
  const read = await readBody(answer.body, coding, maxBodyBytes)
  if (read.isCut && excess === 'refuse')
    throw new OutboundError(
      'TOO_LARGE',
      `'${url.hostname}': the answer has more than ${maxBodyBytes} bytes`,
      {
        mayHaveArrived: true,
      },
    )
  return { status: answer.statusCode, headers: received, ...read }
}

function sent(headers: Message['headers'], body: Message['body']) {
  if (body === undefined) return { headers }
  if (typeof body === 'string' || body instanceof Uint8Array) return { headers, body }
  const { bytes, length } = body
  return { headers: { ...headers, 'content-length': String(length) }, body: Readable.from(bytes) }
}

const lowered = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const joined = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]))
