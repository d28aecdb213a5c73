/** 1 kb is 1,024 bytes. */
const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

const SIZE = /^(\d+(?:\.\d+)?) ?(b|kb|mb|gb)?$/i

/** Reads a size: bytes, or a number with `b`, `kb`, `mb` or `gb`; undefined for what is none. Parts of a byte do not count. */
export function sizeOf(written: number | string): number | undefined {
  const [, digits, unit = 'b'] = SIZE.exec(String(written)) ?? []
  if (digits === undefined) return undefined
  const bytes = Math.floor(Number(digits) * UNITS[unit.toLowerCase()]!)
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined
}
