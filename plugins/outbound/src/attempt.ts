import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { CODINGS, readBody, unpacked } from './body.ts'
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
  readonly into?: OutboundRequest['into']
  readonly signal: AbortSignal
}

/** Sends a request once, and reads its answer. */
export async function attempt(
  url: URL,
  { method, headers, body }: Message,
  through: Dispatcher,
  { maxBodyBytes, excess, into, signal }: Reading,
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
  const status = answer.statusCode
  const tooLarge = (most: number) =>
    new OutboundError('TOO_LARGE', `'${url.hostname}': the answer has more than ${most} bytes`, {
      mayHaveArrived: true,
    })
  if (into !== undefined && status >= 200 && status <= 299) {
    const passing = { isCut: false }
    const passed = async function* () {
      yield* unpacked(answer.body, coding, into.maxBytes, passing)
      if (passing.isCut) throw tooLarge(into.maxBytes)
    }
    await into.take({ status, headers: received }, passed())
    return { status, headers: received, body: NOTHING, isCut: false }
  }
  const read = await readBody(answer.body, coding, maxBodyBytes)
  if (read.isCut && excess === 'refuse') throw tooLarge(maxBodyBytes)
  return { status, headers: received, ...read }
}

const NOTHING = new Uint8Array()

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
