import { isList, isMap, type Node } from './document.ts'

/**
 * A value with its texts as they are written: one that reads variables stands as `${VAR}`. What has another shape than
 * it was written in, such as a default, stays as it is.
 */
export function asWritten<T>(value: T, written: Node | undefined): T {
  // The shape is that of the value: texts alone change, into texts.
  return leaving(value, written) as T
}

function leaving(value: unknown, written: Node | undefined): unknown {
  if (typeof value === 'string')
    return typeof written === 'string' && written.includes('${') ? written : value
  if (Array.isArray(value))
    return value.map((item: unknown, at) => leaving(item, isList(written) ? written[at] : written))
  if (typeof value !== 'object' || value === null) return value
  const inside = isMap(written) ? written : {}
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, leaving(inner, inside[key])]))
}
