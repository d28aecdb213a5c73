import { REDACTED } from '@svc/kernel'

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

/** What the connection says by itself. */
const OWN: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'expect',
  'te',
  'trailer',
  'upgrade',
  'keep-alive',
])

/** What is wrong with a text as the name of a header; undefined where nothing is. */
export function headerNameFault(name: string): string | undefined {
  if (!TOKEN.test(name)) return `'${name}' is no name for a header`
  return OWN.has(name.toLowerCase()) ? `the header '${name}' is set by the service` : undefined
}

/** What the value of a header may hold (RFC 9110, section 5.5), as far as a client sends it. */
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

/** Headers that say who somebody is, whatever they hold. */
const TELLING: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie'])

/** Whether a header, by its name in lower case, is nobody's business but of the two who speak. */
export const isTelling = (name: string): boolean => TELLING.has(name)

/** Headers as people are shown them, and as mappings know them. */
export const shownHeaders = <T>(headers: Readonly<Record<string, T>>): Readonly<Record<string, T | string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isTelling(name.toLowerCase()) ? REDACTED : value]),
  )
