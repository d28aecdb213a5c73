import type { AppError } from '@svc/kernel'
import { createUuidV7 } from '@svc/kernel'
import type { Files, Kept } from '@svc/files/contract'
import type { Transaction } from '@svc/store/contract'
import { type MediaItem, valuesOf } from './item.ts'
import { HEAD_BYTES, measure, type Pixels } from './pixels/measure.ts'
import { type By, tell, type Telling } from './library/telling.ts'
import { items } from './tables.ts'

/** A file that is to become an item. */
export interface Coming {
  /** As `fileNameOf` has made it. */
  readonly filename: string
  /** As `mediaTypeOf` has made it. */
  readonly mimeType: string
  readonly bytes: AsyncIterable<Uint8Array>
  /** The id of who brings it; null where nobody does. */
  readonly createdBy: string | null
  /** Aborted where nobody waits for it any more. */
  readonly signal?: AbortSignal
}

/** An item whose bytes lie where they are to lie, and that nobody knows of yet. */
export interface Ready {
  readonly item: MediaItem
  /** SHA-256 of its bytes, in base64url; undefined where it has none. */
  readonly hash: string | undefined
  /** Why the file was not taken: then the item has no bytes. */
  readonly rejected: AppError | undefined
  /** Makes the item one that is there, from the commit on. */
  enter(transaction: Transaction, by: By): Promise<void>
  /** Takes the bytes away again: where what was to enter them came to nothing. */
  discard(): Promise<void>
}

/** Reads a file to its end, keeps it where it is in order, and measures it. Rejects with what its sender failed with. */
export type Keep = (domain: string, coming: Coming) => Promise<Ready>

/** How much is read at once where the size of a picture stands further behind. */
const SLICE_BYTES = 4096

export function createKeep(files: Files, telling: Telling): Keep {
  const { env } = telling
  const newId = createUuidV7(env)

  const pixelsOf = async ({ file }: Kept, head: Buffer): Promise<Pixels | undefined> =>
    measure(file.mimeType, head, async (from) => {
      const length = Math.min(SLICE_BYTES, file.size - from)
      if (length <= 0) return Buffer.alloc(0)
      return gathered(await files.read(file, from, length))
    })

  return async (domain, coming) => {
    const { filename, mimeType, createdBy } = coming
    const head: Uint8Array[] = []
    const bytes = mimeType.startsWith('image/') ? beginning(coming.bytes, head) : coming.bytes
    const reception = await files.receive({ ...coming, bytes })
    const common = { domain, filename, mimeType, createdBy }
    if ('rejected' in reception) {
      const createdAt = new Date(env.now()).toISOString()
      const item = { ...common, id: newId(), size: 0, place: undefined, width: null, height: null, createdAt }
      return ready(item, undefined, reception.rejected, telling)
    }
    const { kept } = reception
    const { id, size, month, extension, createdAt, hash } = kept.file
    const { width, height } = (await pixelsOf(kept, Buffer.concat(head))) ?? { width: null, height: null }
    const item = { ...common, id, size, place: { month, extension }, width, height, createdAt }
    return { ...ready(item, kept, undefined, telling), hash }
  }
}

const ready = (
  item: MediaItem,
  kept: Kept | undefined,
  rejected: AppError | undefined,
  telling: Telling,
): Ready => ({
  item,
  hash: undefined,
  rejected,
  async enter(transaction, by) {
    await kept?.enter(transaction)
    await transaction.insert({ table: items, values: valuesOf(item) })
    tell(telling, 'uploaded', item, transaction, by)
  },
  discard: async () => kept?.discard(),
})

async function gathered(bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<Buffer> {
  if (bytes instanceof Uint8Array) return Buffer.from(bytes)
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The same bytes; the first of them are put into `head` as they pass. */
async function* beginning(bytes: AsyncIterable<Uint8Array>, head: Uint8Array[]) {
  let size = 0
  for await (const chunk of bytes) {
    if (size < HEAD_BYTES) head.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - size)))
    size += chunk.length
    yield chunk
  }
}
