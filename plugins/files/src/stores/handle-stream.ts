import type { FileHandle } from 'node:fs/promises'

const CHUNK_BYTES = 256 * 1024

/** Bytes of an open file as they are asked for; the file is closed when they have been read or nobody wants them any more. */
export function streamOf(handle: FileHandle, from: number, length: number): ReadableStream<Uint8Array> {
  let [at, left] = [from, length]
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = await readSome(handle, at, Math.min(left, CHUNK_BYTES))
          at += chunk.length
          left -= chunk.length
          if (chunk.length > 0) controller.enqueue(chunk)
          if (chunk.length > 0 && left > 0) return
          await handle.close()
          controller.close()
        } catch (error) {
          await handle.close()
          throw error
        }
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  )
}

/** Reads up to `length` bytes: fewer where the file ends. */
export async function readSome(handle: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let size = 0
  while (size < length) {
    const { bytesRead } = await handle.read(bytes, size, length - size, from + size)
    if (bytesRead === 0) break
    size += bytesRead
  }
  return bytes.subarray(0, size)
}

/** Writes all of a chunk, however much the system takes at once. */
export async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, at, chunk.length - at)
    at += bytesWritten
  }
}
