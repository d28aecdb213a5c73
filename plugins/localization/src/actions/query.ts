import type { RecordInput } from '@svc/domain/contract'
import { type Call, droppedBy, errors, nearest } from '@svc/kernel'
import type { Languages } from '../languages/languages.ts'

/** Tells of what a query says beside `known`. */
export function tellIgnored({ query = {} }: RecordInput, known: readonly string[], call: Call): void {
  const drop = droppedBy(call.request?.meta('prefer'), call.warn)
  for (const name of Object.keys(query))
    if (!known.includes(name)) drop(`The query parameter '${name.slice(0, 100)}' is not known here`)
}

/** The supported locale that a query names. Throws INVALID_QUERY. */
export function localeIn({ query = {} }: RecordInput, { find, supported }: Languages): string {
  const { locale } = query
  const found = locale === undefined ? undefined : find(locale)
  if (found !== undefined) return found
  const message =
    locale === undefined
      ? `'locale' is missing: it is one of ${listed(supported)}`
      : `'locale' must be one of ${listed(supported)}, not '${locale.slice(0, 50)}'`
  const meant = locale && locale.length < 50 ? nearest(locale, supported) : undefined
  throw errors.INVALID_QUERY({
    message: meant === undefined ? message : `${message}; did you mean '${meant}'?`,
  })
}

/** One of some words that a query may say; the first unless said. Throws INVALID_QUERY. */
export function oneOf<const T extends string>(
  { query = {} }: RecordInput,
  name: string,
  words: readonly [T, ...T[]],
): T {
  const said = query[name] ?? words[0]
  const found = words.find((word) => word === said)
  if (found !== undefined) return found
  throw errors.INVALID_QUERY({
    message: `'${name}' must be one of ${listed(words)}, not '${said.slice(0, 50)}'`,
  })
}

const listed = (words: readonly string[]): string =>
  words.length > 20 ? `${words.slice(0, 20).join(', ')} and ${words.length - 20} more` : words.join(', ')
