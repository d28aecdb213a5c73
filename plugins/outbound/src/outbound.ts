import { setMaxListeners } from 'node:events'
import type { Environment, Host, Redaction } from '@svc/kernel'
import { createAllowances } from './allowances.ts'
import type { Client } from './client.ts'
import type { Outbound } from './contract.ts'
import { OutboundError } from './failure.ts'
import { outboundErrorOf } from './faults.ts'
import { judgeUrl, type Law } from './judge.ts'
import { answering, judged } from './judged.ts'
import { openSocket } from './sockets.ts'

/** What the client is made of. */
export interface OutboundParts {
  /** Entries of `allow_private`. */
  readonly allowed: readonly string[]
  readonly env: Pick<Environment, 'lookUp'>
  readonly host: Pick<Host, 'listening' | 'release'>
  readonly redaction: Pick<Redaction, 'text'>
  /** Authorities besides those of Node, in PEM. */
  readonly ca?: string
}

/** Makes the client; its library is loaded with the first request. */
export function createOutbound(parts: OutboundParts): Outbound & { close(): Promise<void> } {
  const law: Law = { allowances: createAllowances(parts.allowed), listening: () => parts.host.listening() }
  const agent = `svc/${parts.host.release.version}`
  let client: Promise<Client> | undefined
  const closing = new AbortController()
  // All that is being connected hears it.
  setMaxListeners(0, closing.signal)

  const open = async () => {
    const { createClient } = await import('./client.ts')
    return createClient({ env: parts.env, law, ca: parts.ca })
  }

  return {
    judge: (url, { isConfidential = false } = {}) => judgeUrl(url, isConfidential, law),
    async request(asked) {
      if (closing.signal.aborted) throw new OutboundError('CANCELLED', 'the server stops')
      try {
        const { request } = await (client ??= open())
        return await request({ ...asked, headers: { 'user-agent': agent, ...asked.headers } })
      } catch (error) {
        if (error instanceof OutboundError) error.message = parts.redaction.text(error.message)
        throw error
      }
    },
    async connect(asked) {
      if (closing.signal.aborted) throw new OutboundError('CANCELLED', 'the server stops')
      const { env, ca } = parts
      try {
        return await openSocket(asked, { env, law, ca }, closing.signal)
      } catch (error) {
        if (error instanceof OutboundError) error.message = parts.redaction.text(error.message)
        throw error
      }
    },
    async leadTo({ host, port, tls, isConfidential = false }) {
      const isExposed = isConfidential && tls === undefined
      try {
        return answering(await judged({ host, port, isExposed }, { env: parts.env, law }))
      } catch (error) {
        const failed = outboundErrorOf(error, `${host}:${port}`)
        failed.message = parts.redaction.text(failed.message)
        throw failed
      }
    },
    async close() {
      closing.abort()
      await (await client)?.close()
    },
  }
}
