/** A part of some bytes: where it begins, from 0, and how many bytes it has. */
export interface ByteRange {
  readonly from: number
  readonly length: number
}

/** One range of bytes; several, another unit and what is malformed are no reason to refuse (RFC 9110, section 14.2). */
const ONE = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i

/** The part that a `Range` asks of `size` bytes; undefined for all of them, and 'unsatisfiable' behind their end. */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last, suffix] = ONE.exec(header ?? '') ?? []
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size)
    return length === 0 ? 'unsatisfiable' : { from: size - length, length }
  }
  if (first === undefined) return undefined
  const from = Number(first)
  const end = last === '' || last === undefined ? Infinity : Number(last)
  if (end < from) return undefined
  if (from >= size) return 'unsatisfiable'
  return { from, length: Math.min(end, size - 1) - from + 1 }
}
