import { isUrl } from './url.ts'
import { type Address, isIn, type Range, readRange } from './ranges.ts'

/** An entry of `allow_private`: hosts by name or by address, on every port or on one. */
export type Allowance = { readonly port: number | undefined } & (
  | { readonly name: string; readonly isBelow: boolean }
  | { readonly range: Range }
)

/** What may be connected to although it is not public. */
export interface Allowances {
  /** Whether an entry names the host, as it is written in a url, on that port; `exactly`: an entry for that port alone. */
  names(host: string, port: number, exactly?: 'exactly'): boolean
  /** The same for an address. */
  has(address: Address, port: number, exactly?: 'exactly'): boolean
  /** Whether there are entries by address. */
  readonly hasRanges: boolean
}

const FORM =
  "is neither a host such as 'erp.example', '*.example', '10.1.2.3', 'fd00::/8', nor one with a port such as 'erp.example:8443', '[::1]:8080'"

/** Reads one entry. */
export function readAllowance(entry: string): Allowance | { readonly fault: string } {
  const { host, port } = divided(entry.trim())
  if (port !== undefined && !(port >= 1 && port <= 65_535)) return { fault: `${FORM}: ports are 1 to 65535` }
  const range = readRange(host)
  if (range !== undefined) return { range, port }
  const isBelow = host.startsWith('*.')
  const name = nameOf(isBelow ? host.slice(2) : host)
  return name === undefined ? { fault: FORM } : { name, isBelow, port }
}

/** Reads all entries. Throws where one is wrong, which the configuration has seen to. */
export function createAllowances(entries: readonly string[]): Allowances {
  const all = entries.map((entry) => {
    const read = readAllowance(entry)
    if ('fault' in read) throw new Error(`'${entry}' ${read.fault}`)
    return read
  })
  const fits = (one: Allowance, port: number, exactly: 'exactly' | undefined) =>
    one.port === port || (one.port === undefined && exactly === undefined)
  return {
    names: (host, port, exactly) =>
      all.some((one) => 'name' in one && fits(one, port, exactly) && isNamed(host, one)),
    has: (address, port, exactly) =>
      all.some((one) => 'range' in one && fits(one, port, exactly) && isIn(address, one.range)),
    hasRanges: all.some((one) => 'range' in one),
  }
}

/** The name of a host in one spelling: in lower case, in ASCII, without a full stop at its end. */
export const spelled = (host: string): string => host.toLowerCase().replace(/\.+$/, '')

function isNamed(host: string, { name, isBelow }: { readonly name: string; readonly isBelow: boolean }) {
  const spelling = spelled(host)
  return isBelow ? spelling.endsWith(`.${name}`) : spelling === name
}

function divided(entry: string): { readonly host: string; readonly port: number | undefined } {
  const [, bracketed, behind] = /^\[([^\]]*)\](?::(\d{1,6}))?$/.exec(entry) ?? []
  if (bracketed !== undefined) return { host: bracketed, port: numbered(behind) }
  const [, host, port] = /^([^:]*):(\d{1,6})$/.exec(entry) ?? []
  return host === undefined ? { host: entry, port: undefined } : { host, port: numbered(port) }
}

const numbered = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))

function nameOf(text: string): string | undefined {
  if (!/^[\p{L}\p{N}._-]+$/u.test(text) || !isUrl(`https://${text}`)) return undefined
  const { hostname } = new URL(`https://${text}`)
  // Another spelling of an address is none that a reader of the configuration recognizes.
  return readRange(hostname) === undefined ? spelled(hostname) : undefined
}
