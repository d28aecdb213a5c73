import type { AppError } from '@svc/kernel'
import { type Outbound, OutboundError, type OutboundRequest, retryAfter } from '@svc/outbound/contract'
import type { Media } from '@svc/media/contract'
import type { Value } from '@svc/store/contract'
import { type AwsKeys, signAws } from '../../auth/sigv4.ts'
import type { Attempted, AttemptFailure } from '../../run/attempted.ts'
import { failureOf } from '../../wire/outbound-failure.ts'
import { addressOf, type Bucket } from './address.ts'
import { codeOf, pageOf, plainTag } from './answers.ts'
import { createSaving, type Saving } from './save.ts'
import type { Deed } from './deed.ts'

/** A storage, and what it is reached with. */
export interface Storage {
  readonly outbound: Outbound
  readonly bucket: Bucket
  readonly keys: AwsKeys
  readonly media: Media | undefined
  /** The name of the domain whose library it reads. */
  readonly domain: string
  /** The id of whoever it writes as; null where that is nobody's. */
  readonly owner: () => Promise<string | null>
  readonly timeoutMs: number
  readonly maxBodyBytes: number
  readonly now: () => number
}

/** The longest that a storage may put a request off, in milliseconds: an hour. */
const LONGEST_PAUSE_MS = 3_600_000

/** What is asked of the storage, and what its answer means. */
interface Exchange {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly contentType?: string | undefined
  readonly body?: OutboundRequest['body']
  readonly saving?: Saving
  /** What came, as its operation answers it; undefined of what is no answer to this. */
  read(body: Uint8Array, headers: Readonly<Record<string, string>>): Value | undefined
}

/** Does it once. Throws CONFLICT where a key is not configured. */
export async function attemptStorage(deed: Deed, storage: Storage, signal: AbortSignal): Promise<Attempted> {
  if (deed.action === 'presign') return presign(deed, storage)
  const exchange = await exchangeOf(deed, storage)
  if (exchange === undefined) return unsent(`there is no file '${deed.media?.slice(0, 50)}'`)
  const { outbound, bucket, keys, timeoutMs, maxBodyBytes, now } = storage
  const { method, key, query, contentType, body, saving } = exchange
  const headers = contentType === undefined ? {} : { 'content-type': contentType }
  const url = addressOf(bucket, key, query)
  const signed = await signAws({ method, url, headers }, keys, now())
  const began = performance.now()
  const durationMs = () => Math.round((performance.now() - began) * 10) / 10
  try {
    const answer = await outbound.request({
      url: signed.url,
      method,
      credentials: signed.headers,
      ...(body !== undefined && { body }),
      timeoutMs,
      maxBodyBytes,
      ...(saving && { into: saving }),
      signal,
    })
    const { status } = answer
    const isGood = (status >= 200 && status <= 299) || (deed.action === 'delete' && status === 404)
    const of = { status, headers: answer.headers, durationMs: durationMs() }
    if (!isGood) return { ...of, response: null, failure: refusal(answer, now()) }
    const came = saving?.saved()
    if (came && 'rejected' in came) return { ...of, response: null, failure: untaken(came.rejected) }
    const response = exchange.read(answer.body, answer.headers)
    if (response === undefined) return { ...of, response: null, failure: NO_LIST }
    return { ...of, response, brought: came?.brought, failure: undefined }
  } catch (error) {
    saving?.forget()
    if (!(error instanceof OutboundError)) throw error
    return { status: null, headers: {}, response: null, durationMs: durationMs(), failure: failureOf(error) }
  }
}

async function exchangeOf(
  deed: Deed,
  { bucket, media, domain, owner }: Storage,
): Promise<Exchange | undefined> {
  const { key, contentType } = deed
  const whole = `${bucket.prefix}${key}`
  switch (deed.action) {
    case 'put': {
      const bytes = deed.media === undefined ? Buffer.from(deed.body ?? '') : undefined
      const opened = bytes === undefined ? await media?.open(domain, deed.media ?? '') : undefined
      if (bytes === undefined && opened === undefined) return undefined
      const read = await opened?.read()
      const size = bytes?.length ?? opened?.item.size ?? 0
      const body = bytes ?? (read instanceof Uint8Array ? read : read && { bytes: read, length: size })
      return {
        method: 'PUT',
        key: whole,
        contentType: contentType ?? opened?.item.mimeType,
        body,
        read: (_, { etag }) => ({ key, etag: plainTag(etag), size }),
      }
    }
    case 'delete':
      return { method: 'DELETE', key: whole, read: () => ({ key }) }
    case 'list':
      return {
        method: 'GET',
        key: '',
        query: {
          'list-type': '2',
          'max-keys': String(deed.limit),
          prefix: whole,
          ...(deed.after !== undefined && { 'start-after': `${bucket.prefix}${deed.after}` }),
        },
        read: (body) => pageOf(Buffer.from(body).toString('utf8'), bucket.prefix),
      }
    default: {
      const saving =
        deed.saveTo === undefined || media === undefined
          ? undefined
          : createSaving(deed, { media, domain, createdBy: await owner() })
      return {
        method: 'GET',
        key: whole,
        ...(saving && { saving }),
        read: (body, headers) => ({
          key,
          size: saving?.size ?? body.length,
          contentType: headers['content-type'] ?? null,
          etag: plainTag(headers['etag']),
          body: saving ? null : contentOf(body, headers['content-type']),
        }),
      }
    }
  }
}

/** JSON as its value, other text as text; null for bytes that are neither. */
function contentOf(bytes: Uint8Array, type = ''): Value {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /^[^;]*[/+]json\b/i.test(type) ? (JSON.parse(text) as Value) : text
  } catch {
    return null
  }
}

/** An address under which a key is read or written for a while: nobody is asked for it. */
async function presign(
  { key, method = 'GET', expiresIn = 0, contentType }: Deed,
  storage: Storage,
): Promise<Attempted> {
  const { bucket, keys, now } = storage
  const headers = method === 'PUT' && contentType !== undefined ? { 'content-type': contentType } : {}
  const url = addressOf(bucket, `${bucket.prefix}${key}`)
  const signed = await signAws({ method, url, headers }, keys, now(), expiresIn)
  const expiresAt = new Date(now() + expiresIn * 1000).toISOString()
  const told = { url: new URL(signed.url).origin + new URL(signed.url).pathname, method, expiresAt }
  return {
    status: 200,
    headers: {},
    response: { url: signed.url, method, expiresAt },
    told,
    durationMs: 0,
    failure: undefined,
  }
}

function refusal(
  {
    status,
    headers,
    body,
  }: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: Uint8Array
  },
  now: number,
): AttemptFailure {
  const code = codeOf(Buffer.from(body).toString('utf8'))
  return {
    kind: 'status',
    message: `the storage answered with ${status}${code === undefined ? '' : ` ${code}`}`,
    mayHaveArrived: true,
    afterMs: retryAfter(headers['retry-after'], now, LONGEST_PAUSE_MS),
  }
}

/** What has come, and the library does not take. */
const untaken = ({ message }: AppError): AttemptFailure => ({
  kind: 'answer',
  message: `the object is not saved: ${message}`,
  mayHaveArrived: true,
})

/** Another address than that of a bucket may answer what it likes. */
const NO_LIST: AttemptFailure = {
  kind: 'answer',
  message: 'the storage answered with no list of objects: is the endpoint right?',
  mayHaveArrived: true,
}

const unsent = (message: string): Attempted => ({
  status: null,
  headers: {},
  response: null,
  durationMs: 0,
  failure: { kind: 'answer', message, mayHaveArrived: false },
})
