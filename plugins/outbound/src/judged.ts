import type { LookupFunction } from 'node:net'
import type { Environment } from '@svc/kernel'
import { OutboundError } from './failure.ts'
import { judgeAddresses, type Law, literalOf, type Target } from './judge.ts'
import { type Address, readAddress } from './ranges.ts'

/** What places are looked up and judged by. */
export interface Judging {
  readonly env: Pick<Environment, 'lookUp'>
  readonly law: Law
}

/** The addresses of a host, each of which may be connected to. Throws ADDRESS_REFUSED and CONNECTION_FAILED. */
export async function judged(target: Target, { env, law }: Judging): Promise<readonly Address[]> {
  const literal = readAddress(target.host)
  const addresses = literal ? [literal] : await lookedUp(target.host, env)
  // A name that says where it leads is judged by that too.
  const fault = judgeAddresses(target, [...(literalOf(target.host) ?? []), ...addresses], law)
  if (fault) throw new OutboundError('ADDRESS_REFUSED', `the url ${fault.message}`)
  return addresses
}

async function lookedUp(host: string, env: Judging['env']): Promise<readonly Address[]> {
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
export function answering(addresses: readonly Address[]): LookupFunction {
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
