/** What stands in place of a secret. */
export const REDACTED = '[REDACTED]'

/** Shorter values are looked for nowhere: they are in every text, and nobody's secret. */
const LEAST_LENGTH = 4

/** What stands before and behind a value in base64 depends on its neighbours; what is left of a shorter one says nothing. */
const LEAST_ENCODED = 6

/** Knows the secrets of this process by their values, and takes them out of whatever is shown, logged or kept. */
export interface Redaction {
  /** Hides a value from now on; until the returned function is called as often as it was added. */
  add(secret: string): () => void
  /** The text with every secret in it replaced, be it raw, in base64, percent-encoded, or escaped as in JSON. */
  text(text: string): string
  /** JSON with every secret in its texts, and in the names of its members, replaced; the value itself where there is none. */
  json<T>(value: T): T
}

/** Makes a redaction without secrets, which answers what it is given as it is. */
export function createRedaction(): Redaction {
  const secrets = new Map<string, number>()
  /** Every form of every secret, the longest first: where one is the beginning of another, nothing of the other is left. */
  let forms: readonly string[] = []

  const renew = () => {
    forms = [...new Set([...secrets.keys()].flatMap(formsOf))].sort((a, b) => b.length - a.length)
  }
  const text = (given: string) => {
    let left = given
    for (const form of forms) if (left.includes(form)) left = left.replaceAll(form, REDACTED)
    return left
  }

  return {
    add(secret) {
      if (secret.length < LEAST_LENGTH) return () => undefined
      const count = secrets.get(secret) ?? 0
      secrets.set(secret, count + 1)
      if (count === 0) renew()
      let isHidden = true
      return () => {
        if (!isHidden) return
        isHidden = false
        const left = (secrets.get(secret) ?? 1) - 1
        if (left > 0) secrets.set(secret, left)
        else if (secrets.delete(secret)) renew()
      }
    },
    text,
    json: (value) => (forms.length === 0 ? value : (redacted(value, text) as typeof value)),
  }
}

function redacted(value: unknown, text: (given: string) => string): unknown {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, text))
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [text(name), redacted(inner, text)]))
}

/** The ways in which others write a value down. */
function formsOf(secret: string): readonly string[] {
  const escaped = [inJson(secret), inAsciiJson(secret)].flatMap((one) => [one, one.replaceAll('/', '\\/')])
  const percent = [encodeURIComponent(secret), inUri(secret), inForm(secret)]
  return [
    secret,
    ...escaped,
    ...escaped.map(inJson),
    ...percent,
    ...percent.map(encodeURIComponent),
    ...percent.map((one) => one.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase())),
    ...inBase64(Buffer.from(secret)),
  ]
}

/** As JSON has it between quotation marks (RFC 8259). */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The same for writers that escape all that is not ASCII. */
const inAsciiJson = (text: string): string =>
  inJson(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** RFC 3986: all but the unreserved characters in percents. */
const inUri = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/** As forms are sent. */
const inForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)

/**
 * The part of a value's base64 that is the same whatever stands around it, for each of the three places at which it may
 * begin, in both alphabets (RFC 4648, sections 4 and 5).
 */
function inBase64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const own = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    if (own.length < LEAST_ENCODED) return []
    const inPaths = own.replaceAll('+', '-').replaceAll('/', '_')
    return [own, inPaths, inJson(own).replaceAll('/', '\\/'), encodeURIComponent(own)]
  })
}
