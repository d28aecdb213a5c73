import { createHmac, type KeyObject } from 'node:crypto'

/** A key that values are written with, or were. */
export interface DataKey {
  /** Counts from 1; values say by it what they were written with. */
  readonly number: number
  readonly key: KeyObject
  /** In milliseconds since 1970. */
  readonly createdAt: number
  readonly activeFrom: number
}

/** The keys of a domain, unwrapped: they are in memory alone. */
export interface Ring {
  /** The newest last. */
  readonly data: readonly DataKey[]
  /** Hashes values, so that equal ones are found. */
  readonly blind: KeyObject
}

/** The keys of the domains of this server. */
export class Rings {
  readonly #rings = new Map<string, Ring>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  set(domain: string, ring: Ring): void {
    this.#rings.set(domain, ring)
  }

  get(domain: string): Ring | undefined {
    return this.#rings.get(domain)
  }

  /** The key that values are written with now. Throws where no keys of the domain are known. */
  present(domain: string): DataKey {
    const { data } = this.#known(domain)
    const now = data.length > 1 ? this.#now() : 0
    for (let at = data.length - 1; at > 0; at -= 1) if (data[at]!.activeFrom <= now) return data[at]!
    return data[0]!
  }

  /** The key of a number. Throws where it is not known. */
  numbered(domain: string, number: number): DataKey {
    const found = this.#known(domain).data.find((one) => one.number === number)
    if (found === undefined) throw new Error(`the data key ${number} of '${domain}' is not known`)
    return found
  }

  /** Makes what hashes values of a place in a domain. */
  hashing(domain: string, place: string): (text: string) => string {
    let known: { readonly blind: KeyObject; readonly key: Buffer } | undefined
    return (text) => {
      const { blind } = this.#known(domain)
      if (known?.blind !== blind) known = { blind, key: createHmac('sha256', blind).update(place).digest() }
      return createHmac('sha256', known.key).update(text).digest('base64url').slice(0, HASH)
    }
  }

  #known(domain: string): Ring {
    const found = this.#rings.get(domain)
    if (found === undefined) throw new Error(`no keys of '${domain}' are known`)
    return found
  }
}

/** So many characters of a hash are kept: 132 bits. */
const HASH = 22
