import type { Readable } from 'node:stream'
import { errors, type RawBody } from '@svc/kernel'
import { assertUncoded, closing, type Meta, tooLarge } from './body.ts'

/** Throws PAYLOAD_TOO_LARGE or UNSUPPORTED_MEDIA_TYPE where what a message announces is not what an action takes. */
export function assertTaken(meta: Meta, { bytes, types }: RawBody): void {
  const announced = meta('content-length')
  if (announced !== undefined && Number(announced) > bytes) throw tooLarge(bytes)
  if (types !== undefined && !types.some(matching(meta('content-type') ?? '')))
    throw errors.UNSUPPORTED_MEDIA_TYPE({ message: `Send the body as ${types.join(' or ')}` })
  assertUncoded(meta)
}

/** Whether a range such as `image/*` has a media type in it, whatever its parameters (RFC 9110, section 12.5.1). */
function matching(type: string): (range: string) => boolean {
  const [essence = ''] = type.toLowerCase().split(';', 1)
  const name = essence.trim()
  return (range) =>
    range.endsWith('/*') ? name.startsWith(range.slice(0, -1).toLowerCase()) : name === range.toLowerCase()
}

/** How often the time for one chunk a client may use up in all, whatever it sends. */
const PAUSES = 10
/** What earns a client further time: a slower one only keeps a connection. */
const BYTES_PER_MS = 1.024

/**
 * The bytes of `source` as they come. The client may take so many milliseconds for each of them, while somebody waits for
 * it, and ten times that in all, with a second more for each KiB that it has sent. Throws BAD_REQUEST where it takes
 * longer. Does not destroy `source` when nobody reads on.
 */
export async function* chunksOf(source: Readable, milliseconds: number): AsyncGenerator<Uint8Array, void> {
  // Without a listener, an error of a connection given up would end the process.
  source.on('error', () => undefined)
  let left = milliseconds * PAUSES
  for (;;) {
    const chunk: Uint8Array | null = source.read()
    if (chunk !== null) {
      left += chunk.length / BYTES_PER_MS
      yield chunk
    } else if (source.readableEnded) return
    else {
      const asked = performance.now()
      await moved(source, Math.max(0, Math.min(milliseconds, left)))
      left -= performance.now() - asked
    }
  }
}

/** Resolves once there is more to read, or no more to come. */
function moved(source: Readable, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer)
      source.off('readable', onMove).off('end', onMove).off('close', onCut)
      act()
    }
    const refuse = (message: string) => settle(() => reject(errors.BAD_REQUEST(closing(message))))
    const onMove = () => settle(resolve)
    const onCut = () => refuse('The connection ended before the body did')
    const timer = setTimeout(refuse, milliseconds, 'The body took too long to arrive')
    source.on('readable', onMove).on('end', onMove).on('close', onCut)
    if (source.destroyed) onCut()
  })
}
