import { setMaxListeners } from 'node:events'
import type { Dispatcher } from 'undici'
import { attempt, type Message, messageOf } from './attempt.ts'
import { type ConnectionParts, createConnections } from './connections.ts'
import type { OutboundRequest, OutboundResponse } from './contract.ts'
import { createDeadline } from './deadline.ts'
import { OutboundError } from './failure.ts'
import { outboundErrorOf } from './faults.ts'
import { judgeUrl } from './judge.ts'
import { nextOf, withoutCredentials } from './redirects.ts'

/** Sends requests over connections of its own, until it is closed. */
export interface Client {
  request(asked: OutboundRequest): Promise<OutboundResponse>
  /** Ends every connection; what is under way is CANCELLED. */
  close(): Promise<void>
}

/** One hop of a request. */
interface Hop {
  readonly url: URL
  readonly message: Message
  readonly isConfidential: boolean
}

/** Makes a client without connections. */
export function createClient(parts: ConnectionParts): Client {
  const confidential = createConnections(parts, true)
  const open = createConnections(parts, false)
  const closing = new AbortController()
  // Every request under way hears it.
  setMaxListeners(0, closing.signal)

  const send = async (asked: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> => {
    const { maxBodyBytes, excess = 'refuse', redirects = 0, credentials = {} } = asked
    const reading = { maxBodyBytes, excess, signal }
    let hop = firstHop(asked, parts)
    for (let left = redirects; ; left--) {
      const through: Dispatcher = hop.isConfidential ? confidential : open
      const answer = await attempt(hop.url, hop.message, through, reading)
      const next = left > 0 ? nextOf(answer, hop.message, hop.url) : undefined
      if (next === undefined) return answer
      hop = nextHop(hop, next, credentials, parts)
    }
  }

  return {
    async request(asked) {
      const host = URL.canParse(asked.url) ? new URL(asked.url).hostname : ''
      const deadline = createDeadline(asked.timeoutMs, [asked.signal, closing.signal], host)
      try {
        return await deadline.race(send(asked, deadline.signal))
      } catch (error) {
        throw outboundErrorOf(error, host)
      } finally {
        deadline.clear()
      }
    },
    async close() {
      closing.abort()
      await Promise.all([confidential.destroy(), open.destroy()])
    },
  }
}

function firstHop(asked: OutboundRequest, parts: ConnectionParts): Hop {
  const isConfidential = Object.keys(asked.credentials ?? {}).length > 0
  return judgedHop(asked.url, messageOf(asked), isConfidential, parts)
}

/** Credentials stay with their origin; what follows a redirect elsewhere has none. */
function nextHop(
  { url, message, isConfidential }: Hop,
  next: URL,
  credentials: Readonly<Record<string, string>>,
  parts: ConnectionParts,
): Hop {
  return next.origin === url.origin
    ? judgedHop(next.href, message, isConfidential, parts)
    : judgedHop(next.href, withoutCredentials(message, credentials), false, parts)
}

function judgedHop(url: string, message: Message, isConfidential: boolean, { law }: ConnectionParts): Hop {
  const fault = judgeUrl(url, isConfidential, law)
  if (fault === undefined) return { url: new URL(url), message, isConfidential }
  const code = fault.code === 'INVALID_URL' ? 'INVALID_REQUEST' : fault.code
  throw new OutboundError(code, `the url ${fault.message}`)
}
