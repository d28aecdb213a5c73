import type { Environment, Redaction } from '@svc/kernel'
import { type Outbound, OutboundError, retryAfter, standardSignature } from '@svc/outbound/contract'
import type { Row } from '@svc/store/contract'
import type { OpenedSecrets } from './endpoint.ts'

/** How much of an answer is kept, in bytes. */
const MAX_ANSWER_BYTES = 1024
/** How much is read beyond that, so that no secret is cut through before it is taken out. */
const MARGIN_BYTES = 8192

/** How an attempt ended. */
export interface Attempted {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly body: string | null
  readonly durationMs: number
  /** No further attempt would end otherwise: the address is refused. */
  readonly isFinal: boolean
  /** The receiver wants nothing more: 410. */
  readonly isGone: boolean
  /** How long it wants to be left alone, in milliseconds. */
  readonly afterMs: number | undefined
}

export interface AttemptParts {
  readonly outbound: Outbound
  readonly env: Environment
  readonly redaction: Redaction
  readonly timeoutMs: number
}

/** What is sent. */
export interface Sent extends OpenedSecrets {
  readonly url: string
  /** The id of the event: the same on every attempt. */
  readonly id: string
  readonly body: Row
}

/** Sends one message as Standard Webhooks 1.0.0 have it. Throws an OutboundError CANCELLED alone. */
export async function attempt(
  { url, id, body, secrets, headers }: Sent,
  { outbound, env, redaction, timeoutMs }: AttemptParts,
  signal: AbortSignal,
): Promise<Attempted> {
  const text = JSON.stringify(body)
  const signed = secrets.map((secret) => standardSignature({ id, at: env.now(), body: text, secret }))
  const signature = signed.map((one) => (one as Record<string, string>)['webhook-signature']).join(' ')
  const hidden = [...secrets, ...Object.values(headers)].map((secret) => redaction.add(secret))
  const began = performance.now()
  const ended = { isFinal: false, isGone: false, afterMs: undefined }
  const durationMs = () => Math.round(performance.now() - began)
  try {
    const answer = await outbound.request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed[0], 'webhook-signature': signature },
      credentials: headers,
      body: text,
      timeoutMs,
      maxBodyBytes: MAX_ANSWER_BYTES + MARGIN_BYTES,
      excess: 'cut',
      signal,
    })
    const { status } = answer
    return {
      ...ended,
      isDelivered: status >= 200 && status < 300,
      status,
      body: beginning(redaction.text(readable(answer.body))),
      durationMs: durationMs(),
      isGone: status === 410,
      afterMs: retryAfter(answer.headers['retry-after'], env.now()),
    }
  } catch (error) {
    if (!(error instanceof OutboundError) || error.code === 'CANCELLED') throw error
    const isFinal = error.code === 'ADDRESS_REFUSED' || error.code === 'INVALID_REQUEST'
    const told = `${error.code}: ${error.message}`
    return {
      ...ended,
      isDelivered: false,
      status: null,
      body: redaction.text(told),
      durationMs: durationMs(),
      isFinal,
    }
  } finally {
    for (const show of hidden) show()
  }
}

/** As much of a text as is kept. */
const beginning = (text: string): string =>
  Buffer.byteLength(text) <= MAX_ANSWER_BYTES
    ? text
    : readable(Buffer.from(text).subarray(0, MAX_ANSWER_BYTES)).replace(/\uFFFD$/, '')

/** Bytes as a table takes them as text. */
const readable = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('utf8').replaceAll('\0', '').toWellFormed()
