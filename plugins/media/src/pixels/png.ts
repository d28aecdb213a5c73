import { orientationOf } from './tiff.ts'

const SIGNATURE_BYTES = 8
/** Length and type before a chunk's bytes, and its check sum behind them. */
const AROUND_BYTES = 12

/** What the chunk `eXIf` of a PNG says of its orientation, where it stands before the picture. */
export function orientationInPng(head: Buffer): number | undefined {
  for (let at = SIGNATURE_BYTES; at + AROUND_BYTES <= head.length;) {
    const length = head.readUInt32BE(at)
    const type = head.toString('latin1', at + 4, at + 8)
    if (type === 'IDAT') return undefined
    if (type === 'eXIf') return orientationOf(head.subarray(at + 8, at + 8 + length))
    at += AROUND_BYTES + length
  }
  return undefined
}
