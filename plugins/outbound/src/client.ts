import { isUrl } from './url.ts'
import { setMaxListeners } from 'node:events'
import { attempt, type Message, messageOf } from './attempt.ts'
import type { ConnectionParts } from './connections.ts'
import type { OutboundRequest, OutboundResponse, OutboundTls } from './contract.ts'
import { createDeadline } from './deadline.ts'
import { OutboundError } from './failure.ts'
import { outboundErrorOf } from './faults.ts'
import { judgeUrl } from './judge.ts'
import { createPools } from './pools.ts'
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
  readonly tls: OutboundTls | undefined
}

/** Makes a client without connections. */
export function createClient(parts: ConnectionParts): Client {
  const pools = createPools(parts)
  const closing = new AbortController()
  // Every request under way hears it.
  setMaxListeners(0, closing.signal)

  const send = async (asked: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> => {
    const { maxBodyBytes, excess = 'refuse', redirects = 0, credentials = {}, into } = asked
    const reading = { maxBodyBytes, excess, signal, ...(into && { into }) }
    let hop = firstHop(asked, parts)
    for (let left = redirects; ; left--) {
      const { isConfidential, tls } = hop
      const through = pools.of({ isConfidential, tls, only: asked.only })
      const answer = await attempt(hop.url, hop.message, through, reading)
      const next = left > 0 ? nextOf(answer, hop.message, hop.url) : undefined
      if (next === undefined) return answer
      hop = nextHop(hop, next, credentials, parts)
    }
  }

  return {
    async request(asked) {
      const host = isUrl(asked.url) ? new URL(asked.url).hostname : ''
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
      await pools.destroy()
    },
  }
}

function firstHop(asked: OutboundRequest, parts: ConnectionParts): Hop {
  const isConfidential = Object.keys(asked.credentials ?? {}).length > 0 || asked.tls?.key !== undefined
  return judgedHop(asked.url, { message: messageOf(asked), isConfidential, tls: asked.tls }, parts)
}

/** Credentials stay with their origin; what follows a redirect elsewhere has none. */
function nextHop(
  { url, message, isConfidential, tls }: Hop,
  next: URL,
  credentials: Readonly<Record<string, string>>,
  parts: ConnectionParts,
): Hop {
  return next.origin === url.origin
    ? judgedHop(next.href, { message, isConfidential, tls }, parts)
    : judgedHop(
        next.href,
        { message: withoutCredentials(message, credentials), isConfidential: false, tls: undefined },
        parts,
      )
}

function judgedHop(url: string, hop: Omit<Hop, 'url'>, { law }: ConnectionParts): Hop {
  const fault = judgeUrl(url, hop.isConfidential, law)
  if (fault === undefined) return { ...hop, url: new URL(url) }
  const code = fault.code === 'INVALID_URL' ? 'INVALID_REQUEST' : fault.code
  throw new OutboundError(code, `the url ${fault.message}`)
}
