import { assertWellFormed } from '@svc/kernel'
import {
  type Outbound,
  OutboundError,
  type OutboundResponse,
  type OutboundTls,
  retryAfter,
} from '@svc/outbound/contract'
import type { Value } from '@svc/store/contract'
import type { Authorities } from '../../auth/authorities.ts'
import type { Auth } from '../../auth/auth.ts'
import type { Message } from '../../wire/message.ts'
import type { Attempted } from '../../run/attempted.ts'
import { failureOf } from '../outbound-failure.ts'

/** What a request is sent with. */
export interface Sending {
  readonly outbound: Outbound
  readonly auth: readonly Auth[]
  readonly authorities: Authorities | undefined
  readonly timeoutMs: number
  readonly maxBodyBytes: number
  readonly redirects: number
  readonly signal: AbortSignal
  readonly now: () => number
}

/** The longest that the other side may put a request off, in milliseconds: an hour. */
const LONGEST_PAUSE_MS = 3_600_000

/** Headers of a definition that are credentials whatever they hold. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Sends a request once, and judges what came back by its status alone. Throws CONFLICT where a secret is not configured. */
export async function attemptHttp(message: Message, sending: Sending): Promise<Attempted> {
  const { outbound, auth, authorities, timeoutMs, maxBodyBytes, redirects, signal, now } = sending
  const body = message.body === null ? undefined : Buffer.from(message.body.text)
  const credentials: Record<string, string> = {}
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers))
    (CREDENTIALS.has(name) ? credentials : headers)[name] = value
  const url = new URL(message.url)
  const { method } = message
  let tls: OutboundTls | undefined = authorities?.()
  const only: string[] = []
  for (const one of auth.toSorted(
    (left, right) => Number(left.isLast ?? false) - Number(right.isLast ?? false),
  )) {
    const sent = {
      method,
      url: url.href,
      headers: { ...headers, ...credentials },
      body: body ?? new Uint8Array(),
    }
    const given = await one.authorize(sent)
    for (const [name, value] of Object.entries(given.headers ?? {})) credentials[name.toLowerCase()] = value
    for (const [name, value] of Object.entries(given.query ?? {})) url.searchParams.set(name, value)
    if (given.tls) tls = { ...tls, ...given.tls }
    only.push(...(given.only ?? []))
  }
  const began = performance.now()
  const durationMs = () => Math.round((performance.now() - began) * 10) / 10
  try {
    const answer = await outbound.request({
      url: url.href,
      method,
      headers,
      credentials,
      ...(body && { body }),
      ...(tls && Object.keys(tls).length > 0 && { tls }),
      ...(only.length > 0 && { only }),
      timeoutMs,
      maxBodyBytes,
      redirects,
      signal,
    })
    return judged(answer, durationMs(), now())
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const ended = { status: null, headers: {}, response: null, durationMs: durationMs() }
    return { ...ended, failure: failureOf(error) }
  }
}

function judged(answer: OutboundResponse, durationMs: number, now: number): Attempted {
  const { status, headers } = answer
  const read = bodyOf(answer)
  const of = { status, headers, durationMs, response: read.body }
  if (status < 200 || status > 299)
    return {
      ...of,
      failure: {
        kind: 'status',
        message: `the other side answered with ${status}, which is no success`,
        mayHaveArrived: true,
        afterMs: retryAfter(headers['retry-after'], now, LONGEST_PAUSE_MS),
      },
    }
  if (read.isRead) return { ...of, failure: undefined }
  const message = 'what was answered cannot be read'
  return { ...of, failure: { kind: 'answer', message, mayHaveArrived: true } }
}

/** JSON as its value, any other body as text. */
function bodyOf({ headers, body }: OutboundResponse): { readonly body: Value; readonly isRead: boolean } {
  if (body.length === 0) return { body: null, isRead: true }
  const text = Buffer.from(body).toString('utf8')
  const isJson = /^[^;]*[/+]json\b/i.test(headers['content-type'] ?? '')
  try {
    const value: Value = isJson ? JSON.parse(text) : text
    assertWellFormed(value)
    return { body: value, isRead: true }
  } catch {
    return { body: null, isRead: false }
  }
}
