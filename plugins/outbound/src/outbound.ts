import type { Environment, Host, Redaction } from '@svc/kernel'
import { createAllowances } from './allowances.ts'
import type { Client } from './client.ts'
import type { Outbound } from './contract.ts'
import { OutboundError } from './failure.ts'
import { judgeUrl, type Law } from './judge.ts'

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
  let isClosed = false

  const open = async () => {
    const { createClient } = await import('./client.ts')
    return createClient({ env: parts.env, law, ca: parts.ca })
  }

  return {
    judge: (url, { isConfidential = false } = {}) => judgeUrl(url, isConfidential, law),
    async request(asked) {
      if (isClosed) throw new OutboundError('CANCELLED', 'the server stops')
      try {
        const { request } = await (client ??= open())
        return await request({ ...asked, headers: { 'user-agent': agent, ...asked.headers } })
      } catch (error) {
        if (error instanceof OutboundError) error.message = parts.redaction.text(error.message)
        throw error
      }
    },
    async close() {
      isClosed = true
      await (await client)?.close()
    },
  }
}
