import type { Lying } from './lying.ts'

/** Pictures in boxes (ISO/IEC 23008-12): AVIF, HEIC. */
export const HEIF: readonly string[] = ['image/avif', 'image/heic', 'image/heif']

interface Box {
  readonly type: string
  /** Without its header. */
  readonly bytes: Buffer
}

/** A full box begins with its version and flags. */
const FULL_BYTES = 4
/** `irot` counts quarters of a turn: an odd number of them lays a picture on its side. */
const ON_ITS_SIDE = 6

/**
 * Reads the size of the first item of a picture in boxes, as the properties of that item have it: what they cut off counts, and how
 * they turn it. What EXIF says beside them does not count.
 */
export function readHeif(head: Buffer): Lying | undefined {
  const meta = boxIn(head, 'meta')?.subarray(FULL_BYTES)
  const primary = meta && boxIn(meta, 'pitm')
  const properties = meta && boxIn(meta, 'iprp')
  if (properties === undefined || primary === undefined) return undefined
  const item = primary.readUInt8(0) === 0 ? primary.readUInt16BE(4) : primary.readUInt32BE(4)
  const all = [...boxesOf(boxIn(properties, 'ipco') ?? Buffer.alloc(0))]
  const own = associated(boxIn(properties, 'ipma') ?? Buffer.alloc(0), item).flatMap(
    (at) => all[at - 1] ?? [],
  )
  const bytesOf = (type: string) => own.find((box) => box.type === type)?.bytes
  const [extent, aperture, turn] = [bytesOf('ispe'), bytesOf('clap'), bytesOf('irot')]
  if (extent === undefined) return undefined
  const cut = (at: number) => Math.round(aperture!.readUInt32BE(at) / aperture!.readUInt32BE(at + 4))
  return {
    width: aperture ? cut(0) : extent.readUInt32BE(4),
    height: aperture ? cut(8) : extent.readUInt32BE(8),
    orientation: ((turn?.readUInt8(0) ?? 0) & 1) === 1 ? ON_ITS_SIDE : undefined,
  }
}

/** The numbers of the properties that an item has, from 1. */
function associated(bytes: Buffer, item: number): readonly number[] {
  const [hasLongIds, hasLongNumbers] = [bytes.readUInt8(0) > 0, (bytes.readUInt8(3) & 1) === 1]
  let at = FULL_BYTES + 4
  for (let left = bytes.readUInt32BE(FULL_BYTES); left > 0; left -= 1) {
    const id = hasLongIds ? bytes.readUInt32BE(at) : bytes.readUInt16BE(at)
    at += hasLongIds ? 4 : 2
    const count = bytes.readUInt8(at)
    const first = at + 1
    at = first + count * (hasLongNumbers ? 2 : 1)
    if (id !== item) continue
    // The first bit says whether the property is essential.
    return Array.from({ length: count }, (_, one) =>
      hasLongNumbers ? bytes.readUInt16BE(first + 2 * one) & 0x7fff : bytes.readUInt8(first + one) & 0x7f,
    )
  }
  return []
}

const boxIn = (bytes: Buffer, type: string): Buffer | undefined => {
  for (const box of boxesOf(bytes)) if (box.type === type) return box.bytes
  return undefined
}

function* boxesOf(bytes: Buffer): Generator<Box, void> {
  for (let at = 0; at + 8 <= bytes.length;) {
    const size = bytes.readUInt32BE(at)
    const end = size === 0 ? bytes.length : at + size
    if (end < at + 8) return
    yield { type: bytes.toString('latin1', at + 4, at + 8), bytes: bytes.subarray(at + 8, end) }
    at = end
  }
}
