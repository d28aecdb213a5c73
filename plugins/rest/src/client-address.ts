import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'

/** Finds the address of the client from the socket's peer and the X-Forwarded-For header. */
export type ClientAddress = (peer: string | undefined, forwarded: string | undefined) => string

/**
 * Believes X-Forwarded-For as far as the proxies in `trusted` vouch for it: from the right, the first address
 * that is none of theirs. What a client wrote itself stands left of that and is never reached.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return remembering((peer) => canonicalAddress(peer) ?? '')
  const proxies = new BlockList()
  for (const range of trusted) addRange(proxies, range)
  const isProxy = (address: string) => proxies.check(address, familyOf(address))

  return (peer, forwarded) => {
    let client = canonicalAddress(peer ?? '')
    if (client === undefined) return ''
    for (const hop of forwarded?.split(',').reverse() ?? []) {
      if (!isProxy(client)) break
      const next = canonicalAddress(withoutPort(hop.trim()))
      if (next === undefined) break
      client = next
    }
    return client
  }
}

/** Clients come again and again from one address, which has to be looked at once. */
function remembering(addressOf: (peer: string) => string): ClientAddress {
  let [latest, client] = ['', '']
  return (peer = '') => {
    if (peer !== latest) [latest, client] = [peer, addressOf(peer)]
    return client
  }
}

/** Whether `text` is an IP address, or a range in CIDR notation (RFC 4632, RFC 4291). */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128))
}

/** One spelling for each address: IPv6 as in RFC 5952 without a zone, IPv4 inside IPv6 as IPv4. */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text
  const address = text.replace(/%.*$/, '')
  if (isIP(address) === 0) return undefined
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(canonical)
  return mapped?.[1] ?? canonical.toLowerCase()
}

function addRange(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/')
  const canonical = canonicalAddress(address) ?? address
  const family = familyOf(canonical)
  if (bits === undefined) return list.addAddress(canonical, family)
  // A range written as IPv4 inside IPv6 counts its 96 fixed bits too.
  const fixed = family === 'ipv4' && !isIPv4(address) ? 96 : 0
  list.addSubnet(canonical, Math.max(0, Number(bits) - fixed), family)
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6')

/** Some proxies write `1.2.3.4:5678` or `[2001:db8::1]:5678`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)
  return bracketed?.[1] ?? hop.replace(/^([\d.]+):\d+$/, '$1')
}
