import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Call, Reply } from '@svc/kernel'
import { hasTag } from './conditions.ts'

const compress = promisify(gzip)

/** Sent with answers that may be kept and have to be asked for again each time. */
export const REVALIDATED = 'no-cache'
/** Sent with answers whose address changes with their content: kept for a year. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/** A body that is answered as it stands, with an entity tag (RFC 9110, section 8.8.3). */
export interface Asset {
  /** A name of the content: other content has another one. */
  readonly hash: string
  /** The answer to a call: 304 where the client has the content, compressed where it takes that. */
  answer(call: Call, headers?: Readonly<Record<string, string>>): Promise<Reply<never>>
}

/** Makes an asset of `body`, whose media type is `type`; it is compressed once, when somebody first takes it so. */
export function createAsset(type: string, body: string | Uint8Array): Asset {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  let compressed: Promise<Uint8Array> | undefined

  return {
    hash,
    async answer({ request }, headers = {}) {
      const isCompressed = takesGzip(request?.meta('accept-encoding'))
      const etag = isCompressed ? `"${hash}-gzip"` : `"${hash}"`
      const standing = { 'Cache-Control': REVALIDATED, ...headers, ETag: etag, Vary: 'Accept-Encoding' }
      if (hasTag(request?.meta('if-none-match'), etag))
        return new Reply<never>({ status: 304, headers: standing, content: { type, body: '' } })
      if (!isCompressed) return new Reply<never>({ headers: standing, content: { type, body } })
      const small = await (compressed ??= compress(body))
      const coded = { ...standing, 'Content-Encoding': 'gzip' }
      return new Reply<never>({ headers: coded, content: { type, body: small } })
    },
  }
}

/** Whether `Accept-Encoding` (RFC 9110, section 12.5.3) names gzip with a weight above zero. */
const takesGzip = (header = ''): boolean =>
  header.split(',').some((part) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(part))
