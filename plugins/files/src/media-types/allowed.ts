import { isWithin, mediaRangeOf, mediaTypeOf, typesOfExtension } from './media-type.ts'

/** What one entry of a list of types allows, or why it cannot be read. */
export function readAllowed(
  entry: string,
): { readonly ranges: readonly string[] } | { readonly fault: string } {
  const range = mediaRangeOf(entry)
  if (range !== undefined) return { ranges: [range] }
  if (entry.includes('/')) {
    const type = mediaTypeOf(entry)
    return type === undefined
      ? { fault: "is no media type: write 'image/png', 'image/*' or '*/*'" }
      : { ranges: [type] }
  }
  const types = typesOfExtension(entry)
  return types.length > 0
    ? { ranges: types }
    : { fault: 'is no extension that anybody knows: write the media type in its place' }
}

/** Whether a media type is among those that a list allows, whose entries can all be read. */
export function createAllowed(entries: readonly string[]): (type: string) => boolean {
  const ranges = entries.flatMap((entry) => {
    const read = readAllowed(entry)
    return 'ranges' in read ? read.ranges : []
  })
  return (type) => ranges.some((range) => isWithin(type, range))
}
