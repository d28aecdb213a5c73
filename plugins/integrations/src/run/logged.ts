import { codecOf, type Model } from '@svc/domain/contract'
import { REDACTED, type Redaction } from '@svc/kernel'
import { openValue, type Row, sealValue, type Value } from '@svc/store/contract'
import { isMap } from '../wire/maps.ts'
import type { ShownMessage } from '../wire/message.ts'

/** The most that is kept of a body, in characters of its JSON. */
const MOST = 16 * 1024

/** Names whose values no log holds, in any spelling. */
const TELLING = /pass(?:word|wd|phrase)|secret|token|api[-_ ]?key|authorization|credential|private[-_ ]?key/i

/** What of the bodies that go out and come in is kept. */
export interface LogPolicy {
  readonly hasBodies: boolean
  readonly retentionDays: number | undefined
  /** Further names whose values are not kept, in lower case. */
  readonly redact: ReadonlySet<string>
}

/** A body as the log keeps it: without secrets, and cut. */
export function loggedBody(body: Value, { hasBodies, redact }: LogPolicy, redaction: Redaction): Value {
  if (!hasBodies || body === null) return null
  const safe = redaction.json(hidden(body, redact))
  const text = typeof safe === 'string' ? safe : JSON.stringify(safe)
  if (text.length <= MOST) return typeof safe === 'string' ? tableText(safe) : safe
  return tableText(text.slice(0, MOST))
}

/** A request without what only its receiver may know. */
export const shownSafely = (
  { method, url, headers, body }: ShownMessage,
  { redact }: Pick<LogPolicy, 'redact'>,
  redaction: Redaction,
): ShownMessage => redaction.json({ method, url, headers, body: hidden(body, redact) })

function hidden(value: Value, redact: ReadonlySet<string>): Value {
  if (Array.isArray(value)) return value.map((one: Value) => hidden(one, redact))
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value as Row).map(([name, one]) => [
      name,
      one !== null && (TELLING.test(name) || redact.has(name.toLowerCase())) ? REDACTED : hidden(one, redact),
    ]),
  )
}

/** Text as every table takes it. */
export const tableText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** The bodies of an entry, sealed where the domain seals anything. */
export const sealBody = (body: Value, model: Model): Value =>
  body === null ? null : sealValue({ codec: codecOf(model) }, body)

export const openBody = (kept: Value | undefined, model: Model): Value =>
  kept === null || kept === undefined ? null : openValue({ codec: codecOf(model) }, kept)
