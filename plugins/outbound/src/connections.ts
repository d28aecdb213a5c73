import { Agent, buildConnector, type Dispatcher } from 'undici'
import type { OutboundTls } from './contract.ts'
import { targetOf } from './judge.ts'
import { answering, judged, type Judging } from './judged.ts'
import { tlsOf } from './tls.ts'
import { MAX_HEADER_BYTES } from './limits.ts'
import type { Address } from './ranges.ts'

/** How long a handshake may take, in milliseconds; a request that has less time gives up before that. */
const CONNECT_TIMEOUT_MS = 15_000

/** What connections are made by. */
export interface ConnectionParts extends Judging {
  /** Authorities besides those of Node, in PEM. */
  readonly ca?: string | undefined
}

/** On which terms connections are made. */
export interface ConnectionTerms {
  readonly isConfidential: boolean
  readonly tls: OutboundTls | undefined
  readonly only: readonly string[] | undefined
}

/**
 * Connections that are kept for further requests of the same origin. Every address is judged before a socket is opened to it, as
 * what is confidential demands or not: the two never share a connection.
 */
export function createConnections(parts: ConnectionParts, terms: ConnectionTerms): Dispatcher {
  return new Agent({
    connect: connectorOf(parts, terms),
    maxHeaderSize: MAX_HEADER_BYTES,
    // Whoever asks says how long all of it may take.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function connectorOf(
  parts: ConnectionParts,
  { isConfidential, tls, only }: ConnectionTerms,
): buildConnector.connector {
  const spoken = tlsOf(tls, parts.ca)

  return (options, callback) => {
    const connect = (addresses: readonly Address[]) => {
      const open = buildConnector({
        timeout: CONNECT_TIMEOUT_MS,
        lookup: answering(addresses),
        allowH2: false,
        ...spoken,
      })
      open(options, callback)
    }
    judged({ ...targetOf(urlOf(options), isConfidential), only }, parts)
      .then(connect)
      // Certificates and keys that are none are told by a throw.
      .catch((error: Error) => callback(error, null))
  }
}

const urlOf = ({ protocol, hostname, port }: buildConnector.Options): URL => {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return new URL(`${protocol}//${host}${port ? `:${port}` : ''}`)
}
