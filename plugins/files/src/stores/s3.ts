import { once } from 'node:events'
import { type IncomingMessage, request as requestOverHttp } from 'node:http'
import { request as requestOverHttps } from 'node:https'
import { text as textOfStream } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { AwsClient } from 'aws4fetch'
import type { S3Config } from '../config.ts'
import { type ByteStore, type Listed, StorageFault } from './byte-store.ts'
import { type Spool, spooled } from './spool.ts'

/** How long the storage may take to begin its answer, in milliseconds; each byte that it is sent earns it more. */
const PATIENCE_MS = 20_000
/** What the slowest storage takes that is waited for. */
const BYTES_PER_MS = 50

interface Asked {
  readonly method: 'GET' | 'PUT' | 'HEAD' | 'DELETE'
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Spool
}

/** A bucket that can be asked whether it is there. */
export interface S3Store extends ByteStore {
  /** The status by which the bucket answers; rejects with a StorageFault where it is out of reach. */
  status(): Promise<number>
}

/** Keeps bytes in a bucket. */
export function createS3Store(config: S3Config): S3Store {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region } = config
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
  const address = addressing(config)
  const prefix = prefixOf(config)

  const ask = async ({ method, key = '', query, headers, body }: Asked): Promise<Response> => {
    const url = address(key === '' ? '' : prefix + key, query)
    const impatience = new AbortController()
    const { signal } = impatience
    const timer = setTimeout(() => impatience.abort(), PATIENCE_MS + (body?.size ?? 0) / BYTES_PER_MS)
    try {
      if (body === undefined) return await client.fetch(url, { method, ...(headers && { headers }), signal })
      return await sent(await client.sign(url, { method }), body, signal)
    } catch (error) {
      throw new StorageFault(`the bucket is out of reach: ${String(Object(error)['cause'] ?? error)}`, {
        cause: error,
      })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Asks, and takes these statuses for an answer. */
  const answered = async (asked: Asked, ...statuses: readonly number[]): Promise<Response> => {
    const response = await ask(asked)
    if (statuses.includes(response.status)) return response
    const text = await response.text().catch(() => '')
    const code = /<Code>([^<]{1,100})<\/Code>/.exec(text)?.[1]
    throw new StorageFault(
      `the bucket answers ${asked.method} by ${response.status}${code ? ` ${code}` : ''}`,
    )
  }

  return {
    async status() {
      const response = await ask({ method: 'GET', query: { 'list-type': '2', 'max-keys': '1' } })
      await response.body?.cancel()
      return response.status
    },
    async put(key, bytes) {
      const body = await spooled(bytes)
      try {
        await answered({ method: 'PUT', key, body }, 200)
      } finally {
        await body.handle.close()
      }
    },
    async open(key, from, length) {
      const headers = { range: `bytes=${from}-${from + length - 1}` }
      const { body } = await answered({ method: 'GET', key, headers }, 206, 200)
      return body ?? new Uint8Array()
    },
    async remove(key) {
      const response = await answered({ method: 'DELETE', key }, 200, 204, 404)
      await response.body?.cancel()
    },
    async *list(under) {
      let token: string | undefined
      do {
        const page: Readonly<Record<string, string>> = {
          'list-type': '2',
          prefix: prefix + under,
          ...(token !== undefined && { 'continuation-token': token }),
        }
        const text = await (await answered({ method: 'GET', query: page }, 200)).text()
        for (const { key, modifiedAt } of entriesOf(text))
          if (key.startsWith(prefix)) yield { key: key.slice(prefix.length), modifiedAt }
        token = textOf(text, 'NextContinuationToken')
      } while (token !== undefined)
    },
    async stat(key) {
      const { status, headers } = await answered({ method: 'HEAD', key }, 200, 404)
      return status === 404 ? undefined : { size: Number(headers.get('content-length')) }
    },
  }
}

/** Sends a file as fast as it is taken: `fetch` would hold in memory what is not. */
async function sent(
  { url, method, headers }: Request,
  { handle, size }: Spool,
  signal: AbortSignal,
): Promise<Response> {
  const begin = url.startsWith('https:') ? requestOverHttps : requestOverHttp
  const sending = begin(url, {
    method,
    headers: { ...Object.fromEntries(headers), 'content-length': size },
    signal,
  })
  const answer = once(sending, 'response') as Promise<[IncomingMessage]>
  const source = handle.createReadStream({ start: 0, autoClose: false })
  const [[response]] = await Promise.all([answer, pipeline(source, sending)])
  return new Response(await textOfStream(response), { status: response.statusCode ?? 0 })
}

/** Makes addresses of keys, by the one of two ways in which buckets are named. */
function addressing({ endpoint, bucket, path_style }: S3Config) {
  return (key: string, query: Asked['query'] = {}): string => {
    const url = new URL(endpoint)
    const base = url.pathname.replace(/\/$/, '')
    if (!path_style) url.hostname = `${bucket}.${url.hostname}`
    url.pathname = `${base}${path_style ? `/${bucket}` : ''}/${key}`.replace(/(?<=.)\/$/, '')
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url.href
  }
}

/** A prefix is a folder: it ends in a slash unless there is none. */
function prefixOf({ prefix }: S3Config): string {
  const plain = prefix.replace(/^\/+|\/+$/g, '')
  return plain === '' ? '' : `${plain}/`
}

/** What a page of ListObjectsV2 tells of each object. */
const entriesOf = (text: string): readonly Listed[] =>
  [...text.matchAll(/<Contents>([^]*?)<\/Contents>/g)].map(([, entry = '']) => ({
    key: textOf(entry, 'Key') ?? '',
    modifiedAt: Date.parse(textOf(entry, 'LastModified') ?? ''),
  }))

function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? []
  return text?.replaceAll(
    /&(?:amp|lt|gt|quot|apos|#(\d+));/g,
    (entity, code?: string) => ENTITIES[entity] ?? String.fromCodePoint(Number(code)),
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}
