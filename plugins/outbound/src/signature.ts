import { createHmac } from 'node:crypto'

/** What is signed: a message by its id, the moment of this attempt, and the bytes that are sent. */
export interface Signed {
  /** The same on every attempt; it holds no full stop. */
  readonly id: string
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly at: number
  readonly body: string | Uint8Array
  /** `whsec_` and base64, or any other text, which counts as it stands; none: the message is not signed. */
  readonly secret?: string | undefined
}

/**
 * The headers of a message as Standard Webhooks 1.0.0 have them: `webhook-id`, `webhook-timestamp` in seconds, and with a secret
 * `webhook-signature`, HMAC-SHA256 over `id.timestamp.body` in base64.
 */
export function standardSignature({ id, at, body, secret }: Signed): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000))
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secret === undefined) return headers
  const signature = createHmac('sha256', keyOf(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64')
  return { ...headers, 'webhook-signature': `v1,${signature}` }
}

const PREFIX = 'whsec_'

const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)
