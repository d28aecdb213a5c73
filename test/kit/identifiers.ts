import { inspect } from 'node:util'
import type { LogEntry } from './log.ts'
import type { SendRequest } from './request.ts'

/** Those identifiers of people that requests had in their paths and queries, as they were sent. */
export interface AskedIdentifiers {
  /** The same requests, of which it takes note. */
  readonly request: SendRequest
  /** Throws where an entry of a log has one of them (ruling P26). */
  assertUntold(log: readonly LogEntry[]): void
}

/** Shorter ones stand in other words. */
const LEAST = 8

/** What a message says that goes to the log as its channel is the matter of its definition. */
const MESSAGES: ReadonlySet<string> = new Set(['notifications.message'])

/** Takes note of the identifiers that are asked for, so that the log of every test can be searched for them. */
export function askedIdentifiers(send: SendRequest): AskedIdentifiers {
  const asked = new Set<string>()
  return {
    request(method, path, more) {
      for (const found of identifiersIn(path)) asked.add(found)
      return send(method, path, more)
    },
    assertUntold(log) {
      if (asked.size === 0) return
      for (const { event, fields } of log) {
        if (MESSAGES.has(event)) continue
        const text = inspect(fields, { depth: 8, maxStringLength: null }).toLowerCase()
        for (const one of asked)
          if (text.includes(one))
            throw new Error(`the log tells '${one}', which a path had, in '${event}': ${text}`)
      }
    },
  }
}

function identifiersIn(path: string): readonly string[] {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const [, behind = ''] = /\/privacy\/subject\/([^/]+)/.exec(pathname) ?? []
  const written = [behind, decoded(behind), searchParams.get('identifier') ?? '']
  return [...new Set(written.map((one) => one.trim().toLowerCase()))].filter((one) => one.length >= LEAST)
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
