import { fileNameOf, mediaTypeOf } from '@svc/files/contract'
import { type AppError, errors } from '@svc/kernel'
import type { Media, Ready } from '@svc/media/contract'
import type { OutboundSink } from '@svc/outbound/contract'
import type { Brought } from '../../run/attempted.ts'
import type { Deed } from './deed.ts'

/** The type of what nobody says one of. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** An object on its way into the library. */
export interface Saving extends OutboundSink {
  /** How many bytes have come. */
  readonly size: number
  /** What they are to become, or why the library does not take them. Throws UNAVAILABLE where it is out of reach. */
  saved(): { readonly brought: Brought } | { readonly rejected: AppError }
  /** Takes away what has come, and what may come still. */
  forget(): void
}

/** Saves an object as an item of a library. */
export function createSaving(
  { key, contentType }: Deed,
  library: { readonly media: Media; readonly domain: string; readonly createdBy: string | null },
): Saving {
  const { media, domain, createdBy } = library
  let taking: Promise<Ready> | undefined
  let ready: Ready | undefined
  let size = 0
  const counted = async function* (bytes: AsyncIterable<Uint8Array>) {
    for await (const chunk of bytes) {
      size += chunk.length
      yield chunk
    }
  }
  return {
    maxBytes: media.messageLimit,
    get size() {
      return size
    },
    async take({ headers }, bytes) {
      taking = media.put(domain, {
        filename: fileNameOf(key) ?? 'object',
        mimeType: mediaTypeOf(contentType ?? headers['content-type'] ?? '') ?? UNKNOWN_TYPE,
        bytes: counted(bytes),
        createdBy,
      })
      ready = await taking
    },
    saved() {
      if (ready === undefined) throw new Error('no object has come')
      const { item, rejected, enter, discard } = ready
      if (rejected === undefined)
        return {
          brought: {
            id: item.id,
            enter: (transaction, caller) => enter(transaction, { caller, requestId: '' }),
            discard,
          },
        }
      // Where files are kept nothing can be kept for now: that passes.
      if (rejected.status >= 500) throw errors.UNAVAILABLE({ message: rejected.message })
      return { rejected }
    },
    forget() {
      taking?.then(
        ({ discard }) => discard(),
        () => undefined,
      )
    },
  }
}
