import other from 'mime/types/other.js'
import standard from 'mime/types/standard.js'

/** Names that are in use for types that are registered under others. */
const ALIASES: Readonly<Record<string, string>> = {
  'application/csv': 'text/csv',
  'application/font-woff2': 'font/woff2',
  'application/javascript': 'text/javascript',
  'application/mp4': 'video/mp4',
  'application/vnd.ms-opentype': 'font/otf',
  'application/x-font-otf': 'font/otf',
  'application/x-font-ttf': 'font/ttf',
  'application/x-font-truetype': 'font/ttf',
  'application/x-gzip': 'application/gzip',
  'application/x-javascript': 'text/javascript',
  'application/x-json': 'application/json',
  'application/x-pdf': 'application/pdf',
  'application/x-rtf': 'application/rtf',
  'application/x-zip': 'application/zip',
  'application/x-zip-compressed': 'application/zip',
  'audio/mp3': 'audio/mpeg',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-aac': 'audio/aac',
  'audio/x-flac': 'audio/flac',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/x-wav': 'audio/wav',
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/svg': 'image/svg+xml',
  'image/tif': 'image/tiff',
  'image/x-bmp': 'image/bmp',
  'image/x-icon': 'image/vnd.microsoft.icon',
  'image/x-ms-bmp': 'image/bmp',
  'image/x-png': 'image/png',
  'image/x-tiff': 'image/tiff',
  'text/json': 'application/json',
  'text/x-csv': 'text/csv',
  'text/x-markdown': 'text/markdown',
  'text/xml': 'application/xml',
  'video/matroska': 'video/x-matroska',
  'video/vnd.avi': 'video/x-msvideo',
  'video/avi': 'video/x-msvideo',
  'video/x-m4v': 'video/mp4',
}

/** RFC 6838, section 4.2. */
const NAME = '[a-z0-9][a-z0-9!#$&^_.+-]{0,126}'
const TYPE = new RegExp(`^${NAME}/${NAME}$`)
const RANGE = new RegExp(`^(?:${NAME}|\\*)/\\*$`)

/** A media type as it is registered: in lower case, without parameters; undefined for what is none. */
export function mediaTypeOf(written: string): string | undefined {
  const essence = written.split(';', 1)[0]!.trim().toLowerCase()
  return TYPE.test(essence) ? (ALIASES[essence] ?? essence) : undefined
}

/** A range such as `image/*` in lower case; undefined for what is none. */
export function mediaRangeOf(written: string): string | undefined {
  const range = written.trim().toLowerCase()
  return RANGE.test(range) && (!range.startsWith('*') || range === '*/*') ? range : undefined
}

/** Whether a media type lies in a range, or is it. */
export const isWithin = (type: string, range: string): boolean =>
  range === '*/*' || (range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : type === range)

/** The extensions of each type that has any, those of registered trees first. */
const extensionsOf = new Map<string, readonly string[]>()
for (const types of [standard, other])
  for (const [type, extensions] of Object.entries<readonly string[]>(types))
    // An asterisk says that another type has the better claim to it.
    extensionsOf.set(
      type,
      extensions.map((one) => one.replace(/^\*/, '')),
    )

/** The types of each extension. */
const byExtension = new Map<string, Set<string>>([['flac', new Set(['audio/flac'])]])
for (const [type, extensions] of extensionsOf)
  for (const extension of extensions) {
    const known = byExtension.get(extension) ?? new Set()
    byExtension.set(extension, known.add(ALIASES[type] ?? type))
  }

/** The types that an extension stands for, with or without its dot; none where nobody knows it. */
export const typesOfExtension = (written: string): readonly string[] => [
  ...(byExtension.get(written.trim().toLowerCase().replace(/^\./, '')) ?? []),
]

/** Where the first extension that is registered is not the one that people use. */
const USUAL: Readonly<Record<string, string>> = {
  'audio/flac': 'flac',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'video/quicktime': 'mov',
}

/** What names of files of unknown types end in. */
const UNKNOWN = 'bin'

/** The usual extension of a type. */
export const extensionOf = (type: string): string => USUAL[type] ?? extensionsOf.get(type)?.[0] ?? UNKNOWN

/** Whether files of a type may end in an extension. */
export const hasExtension = (type: string, extension: string): boolean =>
  typesOfExtension(extension).includes(type)

/** Whether files of a type are text, whatever it says. */
export const isText = (type: string): boolean =>
  type.startsWith('text/') || /^(?:application\/(?:json|xml)|[^/]+\/[^/]+\+(?:json|xml))$/.test(type)
