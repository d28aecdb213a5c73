import { isUrl } from './url.ts'
import type { OutboundResponse } from './contract.ts'
import type { Message } from './attempt.ts'

/** Statuses that lead elsewhere (RFC 9110, section 15.4), and whether they do so for GET and HEAD alone. */
const LEADING: ReadonlyMap<number, 'read' | 'any'> = new Map([
  [301, 'read'],
  [302, 'read'],
  [303, 'read'],
  [307, 'any'],
  [308, 'any'],
])

/** Headers that are for the origin alone that they were made for, whatever they are given as. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Where an answer leads; undefined where it is an answer like any other. */
export function nextOf(
  { status, headers: { location } }: OutboundResponse,
  { method }: Message,
  from: URL,
): URL | undefined {
  const reach = LEADING.get(status)
  const isRead = method === 'GET' || method === 'HEAD'
  if (reach === undefined || (reach === 'read' && !isRead)) return undefined
  if (location === undefined || !isUrl(location, from.href)) return undefined
  const to = new URL(location, from)
  to.hash = ''
  // What was meant for TLS goes nowhere without it.
  return from.protocol === 'https:' && to.protocol === 'http:' ? undefined : to
}

/** A message for another origin: without what tells who sends it. */
export function withoutCredentials(message: Message, named: Readonly<Record<string, string>> = {}): Message {
  const own = new Set(Object.keys(named).map((name) => name.toLowerCase()))
  const headers = Object.entries(message.headers).filter(([name]) => !own.has(name) && !CREDENTIALS.has(name))
  return { ...message, headers: Object.fromEntries(headers) }
}
