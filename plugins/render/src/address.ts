import { withoutForbidden } from './characters.ts'

/** Where a link may lead: http, https, mailto, tel. Undefined for all else, whatever it is dressed in. */
export function linkAddress(written: string): string | undefined {
  const address = withoutForbidden(written).trim()
  if (!/^(?:https?:\/\/|mailto:|tel:)[^\s]/i.test(address) || address.length > MOST) return undefined
  return address.replace(UNSAFE, encodeURIComponent)
}

/** Longer ones are no addresses, and programs that read documents stumble over them. */
const MOST = 2000

/** Per cent signs that begin no code, and all that RFC 3986 does not let stand as it is. */
const UNSAFE = /%(?![0-9A-Fa-f]{2})|[^%\w\-.~:/?#[\]@!$&'()*+,;=]/gu

/** A picture as a body names it. */
export type PictureReference =
  | { readonly from: 'media'; readonly id: string }
  | { readonly from: 'icon'; readonly set: string; readonly name: string }
  /** The value of a media or svg field. */
  | { readonly from: 'value'; readonly value: string }

/** Reads `media:<id>` and `icon:<set>:<name>`. */
export function pictureReference(written: string): PictureReference | undefined {
  const [, id] = /^media:([^\s:]+)$/.exec(written) ?? []
  if (id !== undefined) return { from: 'media', id }
  const [, set, name] = /^icon:([^\s:]+):([^\s:]+)$/.exec(written) ?? []
  return set === undefined || name === undefined ? undefined : { from: 'icon', set, name }
}
