/** Reads a header by its lower-case name; `request.meta` of a call does so. */
export type Meta = (name: string) => string | undefined

/** What conditions are about: a strong entity tag in its quotes, and a moment in milliseconds since 1970. */
export interface Validators {
  readonly etag: string
  readonly modifiedAt: number
}

/** Whether `If-None-Match` (RFC 9110, section 13.1.2) names the tag. */
export const hasTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === etag)

/** Whether the client has what there is: the tag counts alone where it is asked about (RFC 9110, section 13.2.2). */
export function isKnown(meta: Meta, { etag, modifiedAt }: Validators): boolean {
  const tags = meta('if-none-match')
  if (tags !== undefined) return hasTag(tags, etag)
  const since = Date.parse(meta('if-modified-since') ?? '')
  return !Number.isNaN(since) && wholeSecond(modifiedAt) <= since
}

/** Whether a part that a client has goes together with what there is (RFC 9110, section 13.1.5). */
export function isPartOf(ifRange: string | undefined, { etag, modifiedAt }: Validators): boolean {
  if (ifRange === undefined) return true
  return /^(?:W\/)?"/.test(ifRange) ? ifRange === etag : Date.parse(ifRange) === wholeSecond(modifiedAt)
}

/** Dates of HTTP know no parts of a second. */
const wholeSecond = (moment: number): number => Math.floor(moment / 1000) * 1000
