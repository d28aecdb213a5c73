import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HttpServerCapability } from '@svc/rest/contract'
import { StoreCapability } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import { FILE, files } from '../../../plugins/files/src/table.ts'
import { startSecond } from '../../kit/second-server.ts'
import { STORES } from '../../kit/stores.ts'
import { type Desk, FILES, PDF, PNG, RAW, rawForm, useDesk } from './desk.ts'
import { PLACES } from './places.ts'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const HOUR_MS = 3_600_000
const part = (name: string, filename: string, content = 'text', type = 'text/plain') =>
  [
    [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, `Content-Type: ${type}`],
    content,
  ] as const
const raw = (desk: Desk, body: string, query = '', headers: Record<string, string> = {}) =>
  desk.ask('POST', `${FILES}/upload${query}`, { body, headers: { ...RAW, ...headers } })
const faultsOf = ({ status, body }: { status: number; body: any }) => [
  status,
  body.error_code,
  body.errors?.map(({ field, rule }: { field: string; rule: string }) => `${field}: ${rule}`),
]

/** The status by which a path is answered that is sent as it stands here, over a socket. */
async function statusOf({ server }: Desk, path: string): Promise<number | undefined> {
  const port = server.kernel.get(HttpServerCapability).port()
  const [response] = (await once(get({ port, path, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

for (const store of STORES)
  for (const kind of PLACES)
    describe(`files on ${store.name} and ${kind.name}`, () => {
      const desk = useDesk(store, kind)

      it('[C1.2] takes the one file of a form and answers what it is and where it is found', async () => {
        const { status, body } = await desk().upload({ name: 'Ann and Ben.png' })
        expect([status, body]).toEqual([
          201,
          {
            status: 'ok',
            code: 201,
            data: {
              id: expect.stringMatching(new RegExp(`^${UUID}$`)),
              filename: 'Ann and Ben.png',
              mime_type: 'image/png',
              size: PNG.length,
              path: expect.any(String),
            },
          },
        ])
        const { bytes, headers } = await desk().ask('GET', body.data.path, { token: undefined })
        expect([bytes.equals(PNG), headers.get('content-type')]).toEqual([true, 'image/png'])
      })

      it('[C1.2] answers under /files too', async () => {
        const { path } = await desk().kept({ path: '/files/upload' })
        const short = path.replace('/api/v1', '')
        expect((await desk().ask('GET', short)).bytes.equals(PNG)).toBe(true)
        expect((await desk().ask('DELETE', short)).status).toBe(204)
        expect((await desk().ask('GET', path)).status).toBe(404)
      })

      it('[C1.2] none or a second file is 422, a name or a type counts from the query first', async () => {
        const none = await raw(desk(), rawForm([['Content-Disposition: form-data; name="title"'], 'x']))
        expect(faultsOf(none)).toEqual([422, 'VALIDATION_ERROR', ['file: required']])
        const two = await raw(desk(), rawForm(part('a', 'a.txt'), part('b', 'b.txt')))
        expect(faultsOf(two)).toEqual([422, 'VALIDATION_ERROR', ['file: items']])
        const named = await desk().kept({
          query: { filename: 'b.txt', mime_type: 'Text/Plain; charset=x' },
          bytes: 'b',
        })
        expect(named).toMatchObject({ filename: 'b.txt', mime_type: 'text/plain' })
      })

      it('[C1.2] without a name it is 400, without a type text/plain, and other fields are ignored with a warning', async () => {
        const nameless = await raw(desk(), rawForm([['Content-Disposition: form-data; name="file"'], 'x']))
        expect([nameless.status, nameless.body.error_code]).toEqual([400, 'MISSING_FIELDS'])
        const typeless = await raw(
          desk(),
          rawForm([['Content-Disposition: form-data; name="f"; filename="a.txt"'], 'x']),
        )
        expect(typeless.body.data).toMatchObject({ filename: 'a.txt', mime_type: 'text/plain' })
        const more = await raw(
          desk(),
          rawForm([['Content-Disposition: form-data; name="title"'], 'x'], part('file', 'a.txt')),
          '?colour=red',
        )
        expect(more.status).toBe(201)
        expect(more.body.warnings.map(({ rule, message }: any) => `${rule}: ${message}`)).toEqual([
          "ignored: The query parameter 'colour' is not known here: it was ignored",
          "ignored: The form field 'title' is not known here: it was ignored",
        ])
      })

      it('[C1.3] another type or a content coding is 415, and too much of what is announced 413, before anybody is asked who calls', async () => {
        const send = (headers: Record<string, string>, body = 'x') =>
          desk().ask('POST', `${FILES}/upload`, { token: undefined, headers, body })
        for (const type of ['application/json', 'image/png', 'text/plain', 'multipart/mixed; boundary=XX'])
          expect((await send({ 'content-type': type })).status).toBe(415)
        expect((await send({ ...RAW, 'content-encoding': 'gzip' })).status).toBe(415)
        const much = await send({ ...RAW, 'content-length': String(2 * 10 * 1024 ** 2 + 1024 ** 2 + 1) })
        expect([much.status, much.body.error_code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
        expect((await send(RAW)).status).toBe(401)
      })

      it('[C1.3] a form that is broken, cut off, without a boundary, of too many parts or headers is 400', async () => {
        const whole = rawForm(part('file', 'a.txt'))
        const many = Array.from({ length: 20 }, (_, at) => [
          [`Content-Disposition: form-data; name="n${at}"`],
          'x',
        ]) as [string[], string][]
        const long = [
          ['Content-Disposition: form-data; name="file"; filename="a"', `X: ${'x'.repeat(17_000)}`],
          '',
        ] as const
        for (const body of [
          whole.slice(0, -8),
          whole.slice(0, 40),
          'nonsense',
          rawForm(...many, part('file', 'a.txt')),
          rawForm(long),
        ]) {
          const { status, body: answer } = await raw(desk(), body)
          expect([status, answer.error_code]).toEqual([400, 'BAD_REQUEST'])
        }
        const unbound = await raw(desk(), whole, '', { 'content-type': 'multipart/form-data' })
        expect([unbound.status, unbound.body.error_code]).toEqual([400, 'BAD_REQUEST'])
      })

      it('[C1.3] a file may be larger than other bodies', async () => {
        const bytes = Buffer.alloc(3 * 1024 ** 2, 'text ')
        const { path, size } = await desk().kept({ bytes, name: 'a.txt', type: 'text/plain' })
        expect(size).toBe(bytes.length)
        expect((await desk().ask('GET', path)).bytes.equals(bytes)).toBe(true)
      })

      it('[C1.3] with an Idempotency-Key the same name, type and bytes are kept once', async () => {
        const headers = { 'idempotency-key': `key-${store.name}-${kind.name}` }
        const before = desk().place.keys().length
        const first = await desk().upload({ headers })
        const again = await desk().upload({ headers })
        expect([first.status, again.status, again.body.data]).toEqual([201, 201, first.body.data])
        expect(again.headers.get('idempotency-replayed')).toBe('true')
        for (const other of [{ name: 'b.png' }, { bytes: Buffer.concat([PNG, PNG]) }]) {
          const mismatch = await desk().upload({ headers, ...other })
          expect([mismatch.status, mismatch.body.error_code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
        }
        expect(desk().place.keys()).toHaveLength(before + 1)
      })

      it.each([
        ['../../a.png', 'a.png'],
        ['C:\\Users\\ann\\a.png', 'a.png'],
        ['a.png.', 'a.png'],
        [' . a.png . ', 'a.png'],
        ['a\r\n\t\u0001b.png', 'ab.png'],
        ['\u202Egnp.a\u200F.png', 'gnp.a.png'],
        ['e\u0301.png', '\u00e9.png'],
        [`${'x'.repeat(300)}.png`, `${'x'.repeat(251)}.png`],
        [`${'\u00e9'.repeat(300)}.png`, `${'\u00e9'.repeat(125)}.png`],
      ])('[C1.4] the name %j is %j', async (given, expected) => {
        const query = { filename: given }
        expect(await desk().kept({ name: 'other.png', query })).toMatchObject({ filename: expected })
      })

      it('[C1.4] a name of which nothing is left is missing', async () => {
        for (const filename of ['..', '/', ' . ', 'a/', '\u0007']) {
          const body = rawForm([
            ['Content-Disposition: form-data; name="file"', 'Content-Type: text/plain'],
            'x',
          ])
          const answer = await raw(desk(), body, `?filename=${encodeURIComponent(filename)}`)
          expect([answer.status, answer.body.error_code]).toEqual([400, 'MISSING_FIELDS'])
        }
      })

      it('[C1.5] a type counts without parameters, in lower case, as it is registered; what is none is 400', async () => {
        expect(
          await desk().kept({ bytes: PDF, query: { mime_type: ' Application/X-PDF ; v=1' } }),
        ).toMatchObject({
          mime_type: 'application/pdf',
        })
        for (const mime_type of ['pdf', 'a/b/c', 'text/', '/plain', 'té/xt', '']) {
          const { status, body } = await desk().upload({ query: { mime_type } })
          expect([mime_type, status, body.error_code]).toEqual([mime_type, 400, 'INVALID_QUERY'])
        }
      })

      it('[C1.6] what is too large, of a type that is not taken, or of other bytes is refused, and leaves nothing behind', async () => {
        const before = desk().place.keys()
        const large = await desk().upload({
          bytes: Buffer.alloc(10 * 1024 ** 2 + 1, 'x'),
          type: 'text/plain',
        })
        expect([large.status, large.body.error_code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
        for (const type of ['text/html', 'application/octet-stream', 'application/xhtml+xml'])
          expect(faultsOf(await desk().upload({ type, bytes: 'x' }))).toEqual([
            422,
            'VALIDATION_ERROR',
            ['file: accept'],
          ])
        for (const bytes of ['', '<html></html>', PDF])
          expect(faultsOf(await desk().upload({ bytes }))).toEqual([
            422,
            'VALIDATION_ERROR',
            ['file: content'],
          ])
        expect(desk().place.keys()).toEqual(before)
      })

      it('[C1.6] [C1.13] while the storage is out of reach uploads and reads are 503, and both go on once it is back', async () => {
        const { path } = await desk().kept()
        // What was read lately is no better known than the rest.
        expect((await desk().ask('GET', path)).bytes.equals(PNG)).toBe(true)
        await desk().place.takeAway()
        const [upload, read] = [await desk().upload(), await desk().ask('GET', path)]
        await desk().place.bringBack()
        expect([upload.status, upload.body.error_code]).toEqual([503, 'UNAVAILABLE'])
        expect([read.status, read.body.error_code]).toEqual([503, 'UNAVAILABLE'])
        expect((await desk().upload()).status).toBe(201)
        expect((await desk().ask('GET', path)).bytes.equals(PNG)).toBe(true)
      })

      it('[C1.7] the path has the year and the month of the upload, the id, and the usual extension of the type', async () => {
        const { id, path } = await desk().kept({ name: 'evil.html' })
        expect(path).toBe(`${FILES}/2026/03/${id}.png`)
        const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(100)])
        expect((await desk().kept({ bytes: jpeg, type: 'image/jpg', name: 'a' })).path).toMatch(/\.jpg$/)
        expect(desk().place.keys()).toContain(`2026/03/${id}.png`)
      })

      it('[C1.8] a file is answered with headers that keep browsers from running it', async () => {
        const query = { filename: 'naïve "100%".html' }
        const { path } = await desk().kept({ query, type: 'text/plain', bytes: 'é' })
        const response = await fetch(new URL(path, desk().server.kernel.get(HttpServerCapability).url()))
        const bytes = Buffer.from(await response.arrayBuffer())
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': 'text/plain; charset=utf-8',
          'content-length': '2',
          etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
          'last-modified': 'Sun, 01 Mar 2026 12:00:00 GMT',
          'accept-ranges': 'bytes',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'cache-control': 'public, max-age=31536000, immutable',
          'content-disposition':
            'attachment; filename="na_ve _100__.html.txt"; filename*=UTF-8\'\'na%C3%AFve%20%22100%25%22.html.txt',
        })
        const latin = await desk().kept({
          type: 'text/plain',
          bytes: Buffer.from([0x61, 0xe9]),
          name: 'a.log',
        })
        const other = await desk().ask('GET', latin.path)
        expect(other.headers.get('content-type')).toBe('text/plain')
        expect(other.headers.get('content-disposition')).toMatch(/filename="a\.log"/)
      })

      it('[C1.8] the same bytes have the same tag', async () => {
        const tags = await Promise.all(
          [PNG, PNG, PDF].map(async (bytes) => {
            const type = bytes === PDF ? 'application/pdf' : 'image/png'
            return (await desk().ask('GET', (await desk().kept({ bytes, type })).path)).headers.get('etag')
          }),
        )
        expect(tags[0]).toBe(tags[1])
        expect(tags[0]).not.toBe(tags[2])
      })

      it('[C1.8] every other path is 404', async () => {
        const { path, id } = await desk().kept()
        const { folder } = desk().place
        mkdirSync(join(folder, '2026/04'), { recursive: true })
        writeFileSync(join(folder, 'secret.txt'), 'secret')
        symlinkSync('/etc/passwd', join(folder, '2026/04', `${id}.png`))
        const short = path.slice(FILES.length + 1)
        for (const other of [
          'secret.txt',
          `2026/04/${id}.png`,
          `2026/03/${id}`,
          `2026/03/${id}.jpg`,
          `2026/3/${id}.png`,
          `2026/03/${id.toUpperCase()}.png`,
          `2026//03/${id}.png`,
          `/2026/03/${id}.png`,
          `2026%2F03%2F${id}.png`,
          `2026/03\\${id}.png`,
          `2026/03/${id}.png%00`,
          `x/..%2f${short}`,
          `%2e%2e/files/${short}`,
          `./${short}`,
          `2026/../${short}`,
          '..%2f..%2f..%2fetc/passwd',
          '.arriving/x',
          '2026/03/',
          '2026',
          '%ff',
        ])
          expect([other, await statusOf(desk(), `${FILES}/${other}`)]).toEqual([other, 404])
        expect(await statusOf(desk(), path)).toBe(200)
      })

      it('[C1.9, C7.8] conditions give 304, one range 206, a range behind the end 416, and HEAD the headers', async () => {
        const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => 97 + (at % 26)))
        const { path } = await desk().kept({ bytes, type: 'text/plain', name: 'a.txt' })
        const ask = (headers: Record<string, string>, method = 'GET') => desk().ask(method, path, { headers })
        const whole = await ask({})
        const etag = whole.headers.get('etag')!
        const modified = whole.headers.get('last-modified')!
        for (const headers of [
          { 'if-none-match': etag },
          { 'if-none-match': '*' },
          { 'if-modified-since': modified },
        ]) {
          const known = await ask(headers)
          expect([known.status, known.bytes.length, known.headers.get('etag')]).toEqual([304, 0, etag])
        }
        for (const [range, from, to] of [
          ['bytes=0-9', 0, 9],
          ['bytes=100000-199999', 100_000, 199_999],
          ['bytes=199990-', 199_990, 199_999],
          ['bytes=-5', 199_995, 199_999],
        ] as const) {
          const some = await ask({ range, 'if-range': etag })
          expect([some.status, some.headers.get('content-range')]).toEqual([
            206,
            `bytes ${from}-${to}/200000`,
          ])
          expect(some.bytes.equals(bytes.subarray(from, to + 1))).toBe(true)
        }
        for (const headers of [
          { range: 'bytes=0-1,5-6' },
          { range: 'lines=1-2' },
          { range: 'bytes=9-1' },
          { range: 'bytes=0-1', 'if-range': '"other"' },
        ]) {
          const all = await ask(headers)
          expect([all.status, all.bytes.equals(bytes)]).toEqual([200, true])
        }
        const behind = await ask({ range: 'bytes=200000-' })
        expect([behind.status, behind.body.error_code, behind.headers.get('content-range')]).toEqual([
          416,
          'RANGE_NOT_SATISFIABLE',
          'bytes */200000',
        ])
        const head = await ask({}, 'HEAD')
        expect([head.status, head.bytes.length]).toEqual([200, 0])
        for (const name of ['content-length', 'content-type', 'etag', 'last-modified', 'accept-ranges'])
          expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name) ?? '200000'])
      })

      it('[C1.10] an address that was signed is read without a token, until its time is over or something of it is changed', async () => {
        const { path } = await desk().kept()
        const sign = (body: object, token: string | undefined = desk().ann.token) =>
          desk().server.request('POST', `${FILES}/sign`, { body, ...(token && { token }) })
        const { status, body } = await sign({ path, expires_in: 60 })
        expect([status, body.data.expires_at]).toEqual([200, '2026-03-01T12:01:00.000Z'])
        const { url } = body.data
        const read = async (address: string) => {
          const answer = await desk().ask('GET', address, { token: undefined })
          return [answer.status, answer.body?.error_code]
        }
        expect(await read(url)).toEqual([200, undefined])
        expect(await read(url.replace('/api/v1', ''))).toEqual([200, undefined])
        const other = await desk().kept()
        for (const changed of [
          url.replace(/expires=\d/, 'expires=9'),
          url.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')),
          url.replace(/signer=[^&]*/, `signer=${other.id}`),
          url.replace(path.slice(FILES.length), other.path.slice(FILES.length)),
          url.replace(/&signature=.*/, ''),
        ])
          expect(await read(changed)).toEqual([401, 'TOKEN_INVALID'])
        expect((await sign({ path: `${FILES}/2026/03/nothing.png` })).status).toBe(404)
        expect((await sign({ path, expires_in: 86_401 })).status).toBe(422)
        expect((await sign({ path, expires_in: 0 })).status).toBe(422)
        expect((await desk().ask('POST', `${FILES}/sign`, { token: undefined })).status).toBe(401)
      })

      it('[C1.11] its uploader and administrators delete a file, which is 404 from then on, and its bytes are gone', async () => {
        const { admin, account } = desk().server
        const { token: ben } = await account(`ben`)
        const [own, others] = [await desk().kept(), await desk().kept()]
        const remove = async (path: string, token?: string) =>
          (await desk().ask('DELETE', path, { token })).status
        expect([await remove(own.path), await remove(own.path, ben)]).toEqual([401, 403])
        expect([await remove(own.path, desk().ann.token), await remove(others.path, admin)]).toEqual([
          204, 204,
        ])
        for (const { path, id } of [own, others]) {
          expect((await desk().ask('GET', path)).status).toBe(404)
          expect(await remove(path, admin)).toBe(404)
          await expect.poll(() => desk().place.keys()).not.toContain(`2026/03/${id}.png`)
        }
      })

      it('[C1.8] [C1.12] bytes that are changed in the place are answered as they are, and what is none is never waited for', async () => {
        if (kind.name !== 'disk') return
        const { path, id } = await desk().kept()
        const file = join(desk().place.folder, `2026/03/${id}.png`)
        const read = async () => {
          const { status, bytes } = await desk().ask('GET', path)
          return status === 200 ? bytes.toString('latin1') : status
        }
        expect(await read()).toBe(PNG.toString('latin1'))
        const other = Buffer.from(PNG).fill(1)
        writeFileSync(file, other)
        expect(await read()).toBe(other.toString('latin1'))
        for (const put of [() => symlinkSync('/etc/passwd', file), () => execFileSync('mkfifo', [file])]) {
          rmSync(file)
          put()
          expect(await read()).toBe(503)
        }
        rmSync(file)
        expect(await read()).toBe(503)
        writeFileSync(file, PNG)
        expect(await read()).toBe(PNG.toString('latin1'))
      })

      it('[C1.12] several servers share the place', async () => {
        const { database, clock } = desk().server
        const { path } = await desk().kept()
        const second = await startSecond(database, clock, [], { files: desk().place.config })
        try {
          const { status, headers } = await second.request('HEAD', path)
          expect([status, headers.get('content-length')]).toEqual([200, String(PNG.length)])
        } finally {
          await second.stop()
        }
      })

      it('[C1.12] bytes without a row are gone an hour later, and nothing else', async () => {
        const { kernel, clock, database } = desk().server
        const { path, id } = await desk().kept()
        const orphan = await desk().kept()
        await kernel
          .get(StoreCapability)
          .transaction((transaction) =>
            transaction.remove({ table: files, where: { op: 'eq', column: FILE.id, value: orphan.id } }),
          )
        writeFileSync(join(desk().place.folder, 'note.txt'), 'of the operator')
        clock.advance(Date.now() + HOUR_MS - clock.now())
        const second = await startSecond(database, clock, [], { files: desk().place.config })
        try {
          await expect.poll(() => desk().place.keys()).not.toContain(`2026/03/${orphan.id}.png`)
          expect(desk().place.keys()).toContain(`2026/03/${id}.png`)
          expect((await desk().ask('GET', path, { token: undefined })).status).toBe(200)
        } finally {
          await second.stop()
        }
      })
    })
