import { isUrl } from './url.ts'
import type { ListeningPlace } from '@svc/kernel'
import type { Allowances } from './allowances.ts'
import { spelled } from './allowances.ts'
import type { UrlFault } from './contract.ts'
import { isOwnPlace } from './own-places.ts'
import { type Address, isLinkLocal, isPublic, isWithin, readAddress, readAddresses } from './ranges.ts'

/** What addresses are judged by. */
export interface Law {
  readonly allowances: Allowances
  /** Where this server listens at present. */
  listening(): readonly ListeningPlace[]
}

/** A host and port on the way out. */
export interface Target {
  /** As it is written in the url, an address of version 6 without brackets. */
  readonly host: string
  readonly port: number
  /** What is sent needs TLS, and there is none. */
  readonly isExposed: boolean
  /** Addresses and ranges besides which none is meant. */
  readonly only?: readonly string[] | undefined
}

/** What is wrong with a url as it is written: everything but what only a look-up of its name can tell. */
export function judgeUrl(text: string, isConfidential: boolean, law: Law): UrlFault | undefined {
  const written = writtenFault(text)
  if (written) return { code: 'INVALID_URL', ...written }
  const target = targetOf(new URL(text), isConfidential)
  const addresses = literalOf(target.host)
  if (addresses !== undefined) return judgeAddresses(target, addresses, law)
  if (!target.isExposed || law.allowances.names(target.host, target.port)) return undefined
  // An entry by address may stand for what the name leads to.
  return law.allowances.hasRanges ? undefined : EXPOSED
}

/** Judges all addresses of a host: one that is refused refuses them all. */
export function judgeAddresses(
  target: Target,
  addresses: readonly Address[],
  law: Law,
): UrlFault | undefined {
  const { only } = target
  if (only !== undefined && !addresses.every((address) => isWithin(address.toString(), readAddresses(only))))
    return {
      code: 'ADDRESS_REFUSED',
      message: `leads to '${target.host}', which is not among the addresses that are allowed`,
      hint: "Add it to 'addresses'",
    }
  if (addresses.some((address) => isRefused(target, address, law)))
    return {
      code: 'ADDRESS_REFUSED',
      message: `leads to '${target.host}', which this server does not connect to`,
      hint: "Take a public address, or let the operator allow this one by 'outbound.allow_private'",
    }
  const { allowances } = law
  const isNamed = (address: Address) =>
    allowances.names(target.host, target.port) || allowances.has(address, target.port)
  return target.isExposed && !addresses.every(isNamed) ? EXPOSED : undefined
}

/** The host and port of a url, for requests that are confidential or not. */
export const targetOf = (url: URL, isConfidential: boolean): Target => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
  isExposed: isConfidential && url.protocol === 'http:',
})

/** The addresses that a host says by itself; undefined where it is a name to look up. */
export function literalOf(host: string): readonly Address[] | undefined {
  const address = readAddress(host)
  if (address !== undefined) return [address]
  const name = spelled(host)
  // RFC 6761, section 6.3.
  return name === 'localhost' || name.endsWith('.localhost') ? LOCALHOST : undefined
}

const LOCALHOST: readonly Address[] = ['127.0.0.1', '::1'].flatMap((one) => readAddress(one) ?? [])

const EXPOSED: UrlFault = {
  code: 'INVALID_URL',
  message: 'must begin with https://, since credentials go with it',
  hint: "Plain http is for hosts that the operator names in 'outbound.allow_private'",
}

function isRefused({ host, port }: Target, address: Address, { allowances, listening }: Law): boolean {
  if (isOwnPlace(address, port, listening()))
    return !allowances.names(host, port, 'exactly') && !allowances.has(address, port, 'exactly')
  if (isPublic(address) || allowances.has(address, port)) return false
  return isLinkLocal(address) || !allowances.names(host, port)
}

/** A name or an address, as the URL parser writes them; it lets pass what no name may hold, such as braces. */
const HOST = /^(?:[a-z0-9_.-]{1,254}|\[[0-9a-f:.]+\])$/

function writtenFault(text: string): Omit<UrlFault, 'code'> | undefined {
  if (/[\s\p{Cc}]/u.test(text)) return { message: 'holds a space, a line break or a control character' }
  if (!isUrl(text))
    return { message: 'is no absolute url', hint: 'Write it out, such as https://example.org/hook' }
  const { protocol, hostname } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return { message: 'must begin with https://' }
  if (!HOST.test(hostname)) return { message: 'names no host' }
  if (/^[a-z]+:[\\/]*[^\\/?#]*@/i.test(text))
    return { message: 'holds a name or password before the host', hint: 'Send them in a header' }
  return text.includes('#') ? { message: 'holds a fragment, which is never sent' } : undefined
}
