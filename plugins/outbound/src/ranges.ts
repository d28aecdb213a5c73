import ipaddr from 'ipaddr.js'

/** An address of either version; one of version 4 that is written as version 6 counts as version 4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A block of addresses. */
export type Range = readonly [start: Address, bits: number]

/** What is not public: the registries of special purpose of IANA (RFC 6890), multicast, and what is reserved. */
const NOT_PUBLIC: readonly Range[] = [
  // This host, and this network.
  '0.0.0.0/8',
  // Private use, shared by carriers, loopback, link-local.
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  // Protocol assignments, documentation, relays of 6to4.
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  // Benchmarks, documentation.
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Multicast, reserved, broadcast.
  '224.0.0.0/3',
  // Unspecified, loopback, and addresses of version 4 as they were once written.
  '::/96',
  // Translation inside of a network, discard, protocol assignments (Teredo too), documentation, 6to4.
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  // Segment routing.
  '5f00::/16',
  // Unique local, link-local, site-local, multicast.
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
].map((range) => ipaddr.parseCIDR(range))

/** Where machines of a cloud ask who they are. */
const LINK_LOCAL: readonly Range[] = ['169.254.0.0/16', 'fe80::/10'].map((range) => ipaddr.parseCIDR(range))

/** Addresses of version 4 inside of version 6: mapped (RFC 4291), and translated (RFC 6052). */
const VERSION_4: readonly Range[] = ['::ffff:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.parseCIDR(range))

const LOOPBACK: readonly Range[] = ['127.0.0.0/8', '0.0.0.0/8', '::/127'].map((range) =>
  ipaddr.parseCIDR(range),
)

/** Reads an address as it is written in full; undefined where it is none. */
export function readAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const [bare = ''] = text.split('%', 1)
  if (!ipaddr.IPv6.isValid(bare)) return undefined
  return asVersion4(ipaddr.IPv6.parse(bare))
}

/** Reads an address, or a range such as `10.0.0.0/8`; undefined where it is none. */
export function readRange(text: string): Range | undefined {
  const [start = '', bits, ...rest] = text.split('/')
  const address = readAddress(start)
  if (address === undefined || rest.length > 0) return undefined
  const size = address.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return [address, size]
  // A range of version 4 that is written as version 6 counts its 96 fixed bits too.
  const fixed = size === 32 && start.includes(':') ? 96 : 0
  const count = /^\d{1,3}$/.test(bits) ? Number(bits) - fixed : -1
  return count >= 0 && count <= size ? [address, count] : undefined
}

/** Whether an address lies in a range; one of another version never does. */
export const isIn = (address: Address, [start, bits]: Range): boolean =>
  address.kind() === start.kind() && address.match(start, bits)

const isInSome = (address: Address, ranges: readonly Range[]): boolean =>
  ranges.some((range) => isIn(address, range))

/** Whether anybody on the internet may have the address. */
export const isPublic = (address: Address): boolean => !isInSome(address, NOT_PUBLIC)
export const isLinkLocal = (address: Address): boolean => isInSome(address, LINK_LOCAL)
/** Whether the address always leads to this machine. */
export const isLoopback = (address: Address): boolean => isInSome(address, LOOPBACK)

export const isSame = (one: Address, other: Address): boolean => one.toString() === other.toString()

function asVersion4(address: ipaddr.IPv6): Address {
  if (!isInSome(address, VERSION_4)) return address
  return ipaddr.fromByteArray(address.toByteArray().slice(12))
}

/** Reads addresses and ranges; undefined in place of what is neither. */
export const readAddresses = (texts: readonly string[]): readonly (Range | undefined)[] =>
  texts.map(readRange)

/** Whether an address as it is written lies in one of these. */
export function isWithin(text: string, ranges: readonly (Range | undefined)[]): boolean {
  const address = readAddress(text)
  return address !== undefined && ranges.some((range) => range !== undefined && isIn(address, range))
}
