import type { LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import type { Environment } from '@svc/kernel'
import { OutboundError } from './failure.ts'
import { judgeAddresses, type Law, literalOf, targetOf } from './judge.ts'
import { MAX_HEADER_BYTES } from './limits.ts'
import { type Address, readAddress } from './ranges.ts'

/** How long a handshake may take, in milliseconds; a request that has less time gives up before that. */
const CONNECT_TIMEOUT_MS = 15_000

/** What connections are made by. */
export interface ConnectionParts {
  readonly env: Pick<Environment, 'lookUp'>
  readonly law: Law
  /** Authorities besides those of Node, in PEM. */
  readonly ca?: string | undefined
}

/**
 * Connections that are kept for further requests of the same origin. Every address is judged before a socket is opened to it, as
 * what is confidential demands or not: the two never share a connection.
 */
export function createConnections(parts: ConnectionParts, isConfidential: boolean): Dispatcher {
  return new Agent({
    connect: connectorOf(parts, isConfidential),
    maxHeaderSize: MAX_HEADER_BYTES,
    // Whoever asks says how long all of it may take.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function connectorOf(parts: ConnectionParts, isConfidential: boolean): buildConnector.connector {
  return (options, callback) => {
    const connect = (addresses: readonly Address[]) => {
      const open = buildConnector({
        timeout: CONNECT_TIMEOUT_MS,
        lookup: answering(addresses),
        allowH2: false,
        ...(parts.ca !== undefined && { ca: parts.ca }),
      })
      open(options, callback)
    }
    judged(urlOf(options), isConfidential, parts).then(connect, (error: Error) => callback(error, null))
  }
}

const urlOf = ({ protocol, hostname, port }: buildConnector.Options): URL => {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return new URL(`${protocol}//${host}${port ? `:${port}` : ''}`)
}

/** The addresses of a host, each of which may be connected to. Throws ADDRESS_REFUSED and CONNECTION_FAILED. */
async function judged(
  url: URL,
  isConfidential: boolean,
  { env, law }: ConnectionParts,
): Promise<readonly Address[]> {
  const target = targetOf(url, isConfidential)
  const literal = readAddress(target.host)
  const addresses = literal ? [literal] : await lookedUp(target.host, env)
  // A name that says where it leads is judged by that too.
  const fault = judgeAddresses(target, [...(literalOf(target.host) ?? []), ...addresses], law)
  if (fault) throw new OutboundError('ADDRESS_REFUSED', `the url ${fault.message}`)
  return addresses
}

async function lookedUp(host: string, env: ConnectionParts['env']): Promise<readonly Address[]> {
  let found: readonly string[]
  try {
    found = await env.lookUp(host)
  } catch (cause) {
    throw new OutboundError('CONNECTION_FAILED', `the name '${host}' cannot be looked up`, { cause })
  }
  const addresses = found.map(readAddress)
  if (addresses.includes(undefined))
    throw new OutboundError('ADDRESS_REFUSED', `the name '${host}' leads to what is no address`)
  if (addresses.length === 0)
    throw new OutboundError('CONNECTION_FAILED', `the name '${host}' has no address`)
  return addresses.flatMap((address) => address ?? [])
}

/** Answers what was judged, whatever is asked for: the name is not looked up again. */
function answering(addresses: readonly Address[]): LookupFunction {
  const all = addresses.map((address) => ({
    address: address.toString(),
    family: address.kind() === 'ipv4' ? 4 : 6,
  }))
  return (_, options, callback) => {
    const [first] = all
    if (options.all === true) callback(null, all)
    else callback(null, first?.address ?? '', first?.family)
  }
}
