import { type AppError, assertWellFormed, errors } from '@svc/kernel'
import { type Outbound, OutboundError, type OutboundResponse } from '@svc/outbound/contract'
import type { Value } from '@svc/store/contract'
import type { Auth } from '../auth/auth.ts'
import type { Message } from '../wire/message.ts'
import { integrationErrors } from '../errors.ts'

/** What the outside answered. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON as its value, other bodies as text; null where there is none. */
  readonly body: Value
}

/** What a request is sent with. */
export interface Sending {
  readonly runId: string
  readonly outbound: Outbound
  readonly auth: readonly Auth[]
  readonly timeoutMs: number
  readonly maxBodyBytes: number
  readonly redirects: number
  readonly signal: AbortSignal
}

/** Headers of a definition that are credentials whatever they hold. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Sends a request once. Throws what the caller is told where it brings no answer. */
export async function send(message: Message, sending: Sending): Promise<Answer> {
  const { outbound, auth, timeoutMs, maxBodyBytes, redirects, signal } = sending
  const body = message.body?.bytes
  const credentials: Record<string, string> = {}
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(message.headers))
    (CREDENTIALS.has(name) ? credentials : headers)[name] = value
  const url = new URL(message.url)
  for (const one of auth) {
    const given = one.authorize({ body: body ?? new Uint8Array() })
    for (const [name, value] of Object.entries(given.headers ?? {})) credentials[name.toLowerCase()] = value
    for (const [name, value] of Object.entries(given.query ?? {})) url.searchParams.set(name, value)
  }
  try {
    const { method } = message
    const answer = await outbound.request({
      url: url.href,
      method,
      headers,
      credentials,
      ...(body && { body }),
      timeoutMs,
      maxBodyBytes,
      redirects,
      signal,
    })
    return read(answer, sending.runId)
  } catch (error) {
    throw error instanceof OutboundError ? told(error, sending.runId) : error
  }
}

/** What came of an attempt that failed, as the caller is told. */
export const failureData = (runId: string, status: number | null) => ({
  runId,
  attempts: 1,
  status,
  deadLetterId: null,
})

function told({ code, message }: OutboundError, runId: string): AppError {
  const detail = { message: `Nothing came of it: ${message}`, data: failureData(runId, null) }
  if (code === 'ADDRESS_REFUSED') return integrationErrors.ADDRESS_REFUSED(detail)
  if (code === 'TIMEOUT') return integrationErrors.UPSTREAM_TIMEOUT(detail)
  return code === 'CANCELLED' ? errors.UNAVAILABLE(detail) : integrationErrors.UPSTREAM_FAILED(detail)
}

function read({ status, headers, body }: OutboundResponse, runId: string): Answer {
  if (body.length === 0) return { status, headers, body: null }
  const text = Buffer.from(body).toString('utf8')
  const isJson = /^[^;]*[/+]json\b/i.test(headers['content-type'] ?? '')
  try {
    const value: Value = isJson ? JSON.parse(text) : text
    assertWellFormed(value)
    return { status, headers, body: value }
  } catch (cause) {
    const message = 'Nothing came of it: what was answered cannot be read'
    throw integrationErrors.UPSTREAM_FAILED({ message, cause, data: failureData(runId, status) })
  }
}
