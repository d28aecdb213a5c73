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
import type { Auth, Credentials } from '../../auth/auth.ts'
import { NotAuthorized } from '../../auth/failed.ts'
import { isTelling } from '../../wire/headers.ts'
import type { Message } from '../../wire/message.ts'
import type { Attempted } from '../../run/attempted.ts'
import { failureOf } from '../../wire/outbound-failure.ts'

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

/** Sends a request once, and judges what came back by its status alone. Throws CONFLICT where a secret is not configured. */
export async function attemptHttp(message: Message, sending: Sending): Promise<Attempted> {
  const { outbound, auth, authorities, timeoutMs, maxBodyBytes, redirects, signal, now } = sending
  const body = message.body === null ? undefined : Buffer.from(message.body.text)
  const credentials: Record<string, string> = {}
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers))
    (isTelling(name) ? credentials : headers)[name] = value
  const began = performance.now()
  const durationMs = () => Math.round((performance.now() - began) * 10) / 10
  const { method } = message
  const request = async (): Promise<readonly [OutboundResponse, readonly Given[]]> => {
    const url = new URL(message.url)
    const shown = { ...credentials }
    const given: Given[] = []
    let tls: OutboundTls | undefined = authorities?.()
    const only: string[] = []
    for (const one of auth.toSorted((left, right) => orderOf(left) - orderOf(right))) {
      const signable = {
        method,
        url: url.href,
        headers: { ...headers, ...shown },
        body: body ?? new Uint8Array(),
        signal,
        timeoutMs,
      }
      const its = await one.authorize(signable)
      given.push([one, its])
      for (const [name, value] of Object.entries(its.headers ?? {})) shown[name.toLowerCase()] = value
      for (const [name, value] of Object.entries(its.query ?? {})) url.searchParams.set(name, value)
      if (its.tls) tls = { ...tls, ...its.tls }
      only.push(...(its.only ?? []))
    }
    const answer = await outbound.request({
      url: url.href,
      method,
      headers,
      credentials: shown,
      ...(body && { body }),
      ...(tls && Object.keys(tls).length > 0 && { tls }),
      ...(only.length > 0 && { only }),
      timeoutMs,
      maxBodyBytes,
      redirects,
      signal,
    })
    return [answer, given]
  }
  try {
    let [answer, given] = await request()
    const renewed = given.filter(([{ renew }]) => renew)
    if (answer.status === 401 && renewed.length > 0) {
      for (const [one, its] of renewed) await one.renew?.(its)
      ;[answer, given] = await request()
    }
    return judged(answer, durationMs(), now())
  } catch (error) {
    const ended = { status: null, headers: {}, response: null, durationMs: durationMs() }
    if (error instanceof NotAuthorized) return { ...ended, failure: error.failure }
    if (!(error instanceof OutboundError)) throw error
    return { ...ended, failure: failureOf(error) }
  }
}

/** What a way to authorize gave for one request. */
type Given = readonly [auth: Auth, credentials: Credentials]

const orderOf = ({ isLast }: Auth): number => Number(isLast ?? false)

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
