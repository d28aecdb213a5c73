import type { Codec } from '@svc/store/contract'
import { decrypt, encrypt } from './cipher.ts'
import type { Rings } from './ring.ts'

/** The form of a sealed value: `e1`, eight hex digits of its key's number, and what `encrypt` answers. */
const FORM = /^e1([0-9a-f]{8})/
const HEAD = 10

/** How the forms begin that are written with a key: those of an older one are less than that. */
export const headOf = (number: number): string => `e1${number.toString(16).padStart(8, '0')}`

/** The number of the key that a form was written with; undefined of what is no form. */
export function numberIn(kept: string): number | undefined {
  const [, number] = FORM.exec(kept) ?? []
  return number === undefined ? undefined : Number.parseInt(number, 16)
}

/** Seals values of a field, each for its record. */
export function fieldCodec(domain: string, resource: string, field: string, rings: Rings): Codec {
  const place = JSON.stringify([domain, resource, field])
  return Object.freeze({
    ...codecOf(domain, (of) => `${place}${of ?? ''}`, rings),
    bound: true,
    form: `aes256gcm ${place}`,
    mixed: mixedCodec(domain, rings),
  })
}

/** Seals what is made of several values of a domain. */
export const mixedCodec = (domain: string, rings: Rings): Codec =>
  Object.freeze(codecOf(domain, (of) => JSON.stringify([domain, of ?? null]), rings))

function codecOf(
  domain: string,
  boundTo: (of: string | undefined) => string,
  rings: Rings,
): Pick<Codec, 'seal' | 'open'> {
  return {
    seal(value, of) {
      const { number, key } = rings.present(domain)
      return headOf(number) + encrypt(JSON.stringify(value), key, boundTo(of))
    },
    open(kept, of) {
      const number = numberIn(kept)
      if (number === undefined) throw new Error('a value is not sealed that should be')
      return JSON.parse(decrypt(kept.slice(HEAD), rings.numbered(domain, number).key, boundTo(of)).toString())
    },
  }
}
