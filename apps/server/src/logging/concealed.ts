import { REDACTED } from '@svc/kernel'

/** Names of what is nobody's business, in any spelling: `clientSecret`, `X-API-Key`, `access_tokens`. */
const SECRET =
  /(?:password|passphrase|secret|token|apikey|authorization|credential|privatekey|signingkey|cookie)s?$/

/** Deeper values are shown as they are: nobody logs them. */
const MAX_DEPTH = 8

/** The fields of an event with the texts under secret-looking keys taken out; the same object where there are none. */
export const concealed = (fields: Record<string, unknown>): Record<string, unknown> => {
  const shown = entriesOf(fields, 0)
  return shown === undefined ? fields : Object.fromEntries(shown)
}

/** The entries with something taken out of them; undefined where nothing is. */
function entriesOf(fields: object, depth: number): readonly (readonly [string, unknown])[] | undefined {
  let isChanged = false
  const entries = Object.entries(fields).map(([key, value]): readonly [string, unknown] => {
    const shown = isSecret(key) && !isHarmless(value) ? REDACTED : shownOf(value, depth + 1)
    isChanged ||= shown !== value
    return [key, shown]
  })
  return isChanged ? entries : undefined
}

function shownOf(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) {
    const shown: unknown[] = value.map((item: unknown) => shownOf(item, depth + 1))
    return shown.some((item, at) => item !== value[at]) ? shown : value
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const entries = entriesOf(value, depth)
  return entries === undefined ? value : Object.fromEntries(entries)
}

/** Numbers and switches tell of secrets and are none: how many tokens there are. */
const isHarmless = (value: unknown): boolean =>
  value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean'

const isSecret = (key: string): boolean => SECRET.test(key.toLowerCase().replace(/[^a-z]/g, ''))
