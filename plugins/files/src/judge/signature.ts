import { mediaTypeOf } from '../media-types/media-type.ts'

/** How many of the first bytes are looked at. */
export const HEAD_BYTES = 64 * 1024

/** Types whose first bytes do not tell them apart. */
const ALIKE: readonly (readonly string[])[] = [
  ['image/png', 'image/apng'],
  ['video/mp4', 'audio/mp4', 'video/quicktime', 'video/3gpp', 'video/3gpp2', 'audio/3gpp', 'audio/3gpp2'],
  ['video/ogg', 'audio/ogg', 'application/ogg', 'audio/opus', 'audio/vorbis'],
  ['video/webm', 'audio/webm', 'video/x-matroska', 'audio/x-matroska'],
  ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  ['audio/x-ms-asf', 'video/x-ms-asf', 'application/vnd.ms-asf', 'audio/x-ms-wma', 'video/x-ms-wmv'],
  ['video/mpeg', 'video/mp2p', 'video/mp1s'],
]

/** Kinds of files that have signatures. */
const SIGNED = /^(?:image|audio|video|font)\//

/** Whether what the first bytes say is the type that was said. */
export const isAlike = (said: string, found: string): boolean =>
  said === found || ALIKE.some((types) => types.includes(said) && types.includes(found))

/** What knows signatures is loaded with the first file. */
const knowledge = () => import('file-type')

/** The type that the first bytes of a file tell; undefined where they tell none. */
export async function signatureOf(head: Uint8Array): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await knowledge()
  try {
    const found = await fileTypeFromBuffer(head)
    return found && mediaTypeOf(found.mime)
  } catch {
    // A stump of something.
    return undefined
  }
}

/** Whether files of a type begin with bytes that tell it. */
export async function isSigned(type: string): Promise<boolean> {
  const { supportedMimeTypes } = await knowledge()
  if (SIGNED.test(type) && type !== SVG) return true
  return !TEXTS.has(type) && [...supportedMimeTypes].some((known) => mediaTypeOf(known) === type)
}

const SVG = 'image/svg+xml'
/** Texts that begin with certain words, or may do so. */
const TEXTS: ReadonlySet<string> = new Set(['application/xml', 'text/calendar', 'text/vcard', 'text/vtt'])
