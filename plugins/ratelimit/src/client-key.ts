import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'

/**
 * The name under which a client is counted: an IPv4 address, or the /64 network of an IPv6 one, because one
 * customer has all of it. An IPv4 address written as IPv6 counts as IPv4; what is no address is one client.
 */
export function clientKey(remote: string): string {
  const known = remembered.get(remote)
  if (known !== undefined) return known
  const key = keyOf(remote)
  remembered.set(remote, key)
  return key
}

const MAX_REMEMBERED = 10_000
const remembered = new LRUCache<string, string>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 })

function keyOf(remote: string): string {
  const version = isIP(remote)
  if (version === 4) return remote
  if (version === 0) return 'unknown'
  const groups = groupsOf(remote)
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  if (isMapped) return groups.slice(6).flatMap(bytesOf).join('.')
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}

/** The eight groups of an IPv6 address in any of its spellings (RFC 4291, section 2.2). */
function groupsOf(address: string): readonly number[] {
  const [plain = ''] = address.split('%')
  const [head = '', tail = ''] = plain.split('::')
  const left = numbersOf(head)
  const right = numbersOf(tail)
  const gap = Array.from({ length: 8 - left.length - right.length }, () => 0)
  return [...left, ...gap, ...right]
}

function numbersOf(part: string): readonly number[] {
  if (part === '') return []
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}

const bytesOf = (group: number): readonly number[] => [group >> 8, group & 0xff]
