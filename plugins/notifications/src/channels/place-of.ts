import { isUrl } from '@svc/outbound/contract'
/** An url without what may be secret: its query, its user and its fragment; null where it is none. */
export function placeOf(url: string): string | null {
  if (!isUrl(url)) return null
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
