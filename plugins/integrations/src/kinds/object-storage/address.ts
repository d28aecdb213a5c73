import { mappingFault } from '../../wire/fault.ts'
import type { StorageDefinition } from './definition.ts'

/** The most bytes that a key may have. */
const MOST_BYTES = 1024

/** Where objects lie. */
export interface Bucket {
  readonly endpoint: URL
  readonly bucket: string
  readonly isInPath: boolean
  /** What keys begin with, as it is written. */
  readonly prefix: string
  readonly region: string
}

export const REGION = 'us-east-1'

/** Where the bucket of an integration is. */
export const bucketOf = ({
  bucket,
  region = REGION,
  endpoint,
  pathStyle = endpoint !== undefined,
  prefix = '',
}: StorageDefinition): Bucket => ({
  endpoint: new URL(endpoint ?? `https://s3.${region}.amazonaws.com`),
  bucket,
  isInPath: pathStyle,
  prefix,
  region,
})

/** The address of a key, or of the bucket. */
export function addressOf(
  { endpoint, bucket, isInPath }: Bucket,
  key: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const url = new URL(endpoint)
  const base = url.pathname.replace(/\/+$/, '')
  if (!isInPath) url.hostname = `${bucket}.${url.hostname}`
  const encoded = key.split('/').map(encodeURIComponent).join('/')
  url.pathname = [base, ...(isInPath ? [bucket] : []), ...(encoded === '' ? [] : [encoded])].join('/')
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

/** A key that stays below its prefix. Throws VALIDATION_ERROR, rule `mapping`. */
export function keyBelow(prefix: string, text: string, field = 'key'): string {
  const fault = faultOf(text)
  if (fault !== undefined) throw mappingFault(field, fault)
  const key = `${prefix}${text}`
  if (Buffer.byteLength(key) > MOST_BYTES) throw mappingFault(field, `a key has ${MOST_BYTES} bytes at most`)
  return key
}

export function faultOf(text: string): string | undefined {
  if (text.startsWith('/')) return "a key does not begin with '/'"
  if (text.includes('//')) return "a key has no '//'"
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return 'a key has no control characters'
  return text.split('/').some((one) => one === '.' || one === '..')
    ? "a key has no segments '.' and '..'"
    : undefined
}
