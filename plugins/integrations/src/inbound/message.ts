import { errors } from '@svc/kernel'
import { parseJson } from '@svc/rest/contract'
import type { Value } from '@svc/store/contract'
import type { Webhook } from './webhook.ts'

const TYPES: Readonly<Record<Webhook['format'], readonly [type: RegExp, word: string]>> = {
  json: [/^application\/(?:json|[\w!#$&^.+-]+\+json)\s*(?:;|$)/i, 'application/json'],
  form: [/^application\/x-www-form-urlencoded\s*(?:;|$)/i, 'application/x-www-form-urlencoded'],
  text: [/^text\/[\w!#$&^.+-]+\s*(?:;|$)/i, 'text/plain'],
}

/** A byte order mark is passed over; bytes that are not UTF-8 are an error. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the body of a message. Throws UNSUPPORTED_MEDIA_TYPE and BAD_REQUEST. */
export function parseMessage(body: Uint8Array, type: string | undefined, format: Webhook['format']): Value {
  const [wanted, word] = TYPES[format]
  if (type === undefined || !wanted.test(type))
    throw errors.UNSUPPORTED_MEDIA_TYPE({ message: `Send the body as ${word}` })
  if (format === 'json') return parseJson(body) as Value
  const text = decoded(body)
  return format === 'text' ? text : Object.fromEntries(new URLSearchParams(text))
}

function decoded(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw errors.BAD_REQUEST({ message: 'The body is not encoded as UTF-8' })
  }
}
