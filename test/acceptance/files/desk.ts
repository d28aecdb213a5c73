import type { Config, Plugin } from '@svc/kernel'
import { HttpServerCapability } from '@svc/rest/contract'
import { afterAll, beforeAll } from 'vitest'
import type { StoreUnderTest } from '../../kit/stores.ts'
import { startTestKernel, type TestKernel } from '../../kit/test-kernel.ts'
import type { Place, PlaceUnderTest } from './places.ts'

export const FILES = '/api/v1/files'

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')

/** A file as a form brings it. */
export interface Sent {
  readonly bytes?: string | Uint8Array<ArrayBuffer> | Buffer
  readonly name?: string
  readonly type?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string | undefined
  readonly path?: string
}

/** What these tests do with a server. */
export interface Desk {
  readonly server: TestKernel
  readonly place: Place
  readonly ann: { readonly id: string; readonly token: string }
  upload(sent?: Sent): Promise<Answer>
  /** Uploads what has to be taken; answers its data. */
  kept(sent?: Sent): Promise<{ id: string; filename: string; mime_type: string; size: number; path: string }>
  /** Sends anything, as Ann unless another token or none is given. */
  ask(method: string, path: string, more?: Asked): Promise<Answer>
}

export interface Asked {
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | FormData
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  // Tests look into answers whose shape is the very thing under test.
  readonly body: any
}

/** A server with a place for its files, and somebody who uses it. */
export async function openDesk(
  store: StoreUnderTest,
  kind: PlaceUnderTest,
  files: object = {},
  sections: Config = {},
  plugins: readonly Plugin[] = [],
): Promise<Desk> {
  const place = await kind.open()
  const server = await startTestKernel({
    store,
    plugins,
    config: { ...sections, files: { ...place.config, ...files } },
  })
  const ann = await server.account('ann')
  const http = server.kernel.get(HttpServerCapability)

  const ask: Desk['ask'] = async (method, path, { headers, body, ...more } = {}) => {
    const token = 'token' in more ? more.token : ann.token
    const response = await http.fetch(
      new Request(new URL(path, http.url()), {
        method,
        headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
        ...(body !== undefined && { body }),
      }),
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const isFile = response.headers.has('content-disposition')
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: isJson && !isFile ? JSON.parse(bytes.toString()) : undefined,
    }
  }
  const upload: Desk['upload'] = (sent = {}) => {
    const {
      bytes = PNG,
      name = 'a.png',
      type = 'image/png',
      query = {},
      headers = {},
      path = `${FILES}/upload`,
    } = sent
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.from(Buffer.from(bytes as string))], { type }), name)
    const search = new URLSearchParams(query).toString()
    return ask('POST', `${path}${search && `?${search}`}`, {
      headers,
      body: form,
      ...('token' in sent && { token: sent.token }),
    })
  }
  return {
    server,
    place,
    ann,
    ask,
    upload,
    async kept(sent) {
      const { status, body } = await upload(sent)
      if (status !== 201) throw new Error(`the upload was answered with ${status}: ${JSON.stringify(body)}`)
      return body.data
    },
  }
}

export async function closeDesk({ server, place }: Desk): Promise<void> {
  await server.stop()
  await place.drop()
}

/** A desk for all tests of the surrounding `describe`. */
export function useDesk(...options: Parameters<typeof openDesk>): () => Desk {
  let desk: Desk | undefined
  beforeAll(async () => {
    desk = await openDesk(...options)
  })
  afterAll(() => desk && closeDesk(desk))
  return () => {
    if (desk === undefined) throw new Error('the desk is there inside tests only')
    return desk
  }
}

/** The bytes of a form, as they are written here. */
export const rawForm = (...parts: readonly (readonly [headers: readonly string[], content: string])[]) =>
  `${parts.map(([headers, content]) => `--XX\r\n${headers.join('\r\n')}\r\n\r\n${content}\r\n`).join('')}--XX--\r\n`
export const RAW = { 'content-type': 'multipart/form-data; boundary=XX' }

/** A zip whose files are not compressed. */
export function zipOf(entries: Readonly<Record<string, string>>): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(entries)) {
    const head = Buffer.alloc(30)
    head.write('PK\x03\x04', 'latin1')
    head.writeUInt16LE(20, 4)
    head.writeUInt32LE(content.length, 18)
    head.writeUInt32LE(content.length, 22)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.concat([head, Buffer.from(name), Buffer.from(content)])
    const listed = Buffer.alloc(46)
    listed.write('PK\x01\x02', 'latin1')
    listed.writeUInt32LE(content.length, 20)
    listed.writeUInt32LE(content.length, 24)
    listed.writeUInt16LE(name.length, 28)
    listed.writeUInt32LE(at, 42)
    local.push(entry)
    central.push(listed, Buffer.from(name))
    at += entry.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(local.length, 8)
  end.writeUInt16LE(local.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...local, directory, end])
}
