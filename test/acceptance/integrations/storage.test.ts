import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everythingKept } from '../../kit/at-rest.ts'
import { type Sink, type SinkAnswer, startSink } from '../../kit/sink.ts'
import { STORES } from '../../kit/stores.ts'
import type { TestKernel } from '../../kit/test-kernel.ts'
import { closeDesk, type Desk, openDesk, PNG } from '../files/desk.ts'
import { BUCKET, PLACES, startBucket } from '../files/places.ts'

const RESOURCES = {
  Order: {
    object: {
      number: 'string',
      slip: 'string',
      etag: 'string',
      secret: 'string',
      paper: { type: 'media', accept: 'application/pdf' },
      picture: 'media',
      pictures: { type: 'media', maxItems: 3 },
    },
    permissions: { create: ['*'], get: ['*'], list: ['*'], fields: { secret: { read: ['buyer'] } } },
  },
}
const VARIABLES = { STORAGE_ID: 'S3RVER', STORAGE_KEY: 'S3RVER', STORAGE_TOKEN: 'a-session-t0ken' }

for (const store of STORES) {
  describe(`integrations of type object_storage on ${store.name}`, () => {
    let desk: Desk
    let server: TestKernel
    let bucket: Awaited<ReturnType<typeof startBucket>>
    let sink: Sink
    const refusal = (): SinkAnswer => ({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' })
    let answer = refusal
    let folder: string
    let prefix: string
    let at = 0
    beforeAll(async () => {
      for (const [name, value] of Object.entries(VARIABLES)) process.env[`SVC_DOMAIN_${name}`] = value
      folder = mkdtempSync(join(tmpdir(), 'svc-storage-'))
      bucket = await startBucket(folder)
      sink = await startSink(() => answer())
      const [disk] = PLACES
      desk = await openDesk(
        store,
        disk!,
        {},
        {
          jobs: { enabled: false },
          outbound: { allow_private: ['127.0.0.1'] },
          integrations: { max_body_bytes: 4096 },
          auth: {
            jwt: { secret: 'a secret of tests that is long enough', access_token_ttl_seconds: 1000 * 86_400 },
          },
        },
      )
      server = desk.server
      // The storage refuses signatures of another day.
      server.clock.advance(Date.now() - server.clock.now())
    })
    afterAll(async () => {
      await closeDesk(desk)
      await bucket.stop()
      await sink.stop()
      rmSync(folder, { recursive: true })
      for (const name of Object.keys(VARIABLES)) delete process.env[`SVC_DOMAIN_${name}`]
    })
    const AUTH = {
      type: 'aws_sigv4',
      accessKeyId: '${SVC_DOMAIN_STORAGE_ID}',
      secretAccessKey: '${SVC_DOMAIN_STORAGE_KEY}',
    }
    const definitionOf = (operations: object, more: object = {}) =>
      JSON.stringify({
        domain: {
          name: 'shop',
          version: '1.0.0',
          resources: RESOURCES,
          media: {},
          integrations: {
            store: {
              type: 'object_storage',
              bucket: BUCKET,
              endpoint: `http://127.0.0.1:${bucket.port}`,
              prefix,
              auth: AUTH,
              ...more,
              operations,
            },
          },
        },
      })
    const submit = (operations: object, more: object = {}) => {
      at += 1
      prefix = `t${at}/`
      return server.submit(definitionOf(operations, more))
    }
    const refused = async (operation: object, more: object = {}) => {
      const { status, body } = await server.request('POST', '/api/v1/domains', {
        token: server.admin,
        body: { content: definitionOf({ it: operation }, more) },
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      return JSON.stringify(body.errors)
    }
    const ask = async (operation: string, body: object = {}) => {
      const path = `/api/v1/shop/integrations/store/operations/${operation}`
      const answer = await server.request('POST', path, { token: server.admin, body })
      return { status: answer.status, body: answer.body, response: answer.body?.data?.response }
    }
    const order = async (values: object): Promise<string> =>
      (await server.request('POST', '/api/v1/shop/orders', { token: server.admin, body: values })).body.data
        .id
    const KEY = { input: { key: 'string' }, key: '$input.key' }
    const OPERATIONS = {
      put: { ...KEY, action: 'put', input: { key: 'string', value: 'string' }, body: '$input.value' },
      putMap: {
        ...KEY,
        action: 'put',
        input: { key: 'string', of: 'string' },
        body: { of: '$input.of', list: [1, 2] },
      },
      get: { ...KEY, action: 'get' },
      list: {
        ...KEY,
        action: 'list',
        input: { key: 'string', after: 'string' },
        after: '$input.after',
      },
      remove: { ...KEY, action: 'delete' },
      presign: { ...KEY, action: 'presign', expiresIn: '10m' },
      presignPut: { ...KEY, action: 'presign', method: 'PUT' },
    }

    it('8.1: put, get, list and delete', async () => {
      await submit(OPERATIONS)
      const value = { of: 'Ähre', list: [1, 2] }
      const put = await ask('putMap', { input: { key: 'a b/c+d?.json', of: 'Ähre' } })
      expect(put.status, JSON.stringify(put.body)).toBe(200)
      const size = Buffer.byteLength(JSON.stringify(value))
      expect(put.response).toEqual({
        key: 'a b/c+d?.json',
        etag: expect.stringMatching(/^[0-9a-f]{32}$/),
        size,
      })
      expect((await ask('get', { input: { key: 'a b/c+d?.json' } })).response).toEqual({
        key: 'a b/c+d?.json',
        size,
        contentType: 'application/json',
        etag: put.response.etag,
        body: value,
      })
      for (const key of ['b/2', 'b/1', 'b/3+4'])
        expect((await ask('put', { input: { key, value: 'text' } })).status).toBe(200)
      expect((await ask('get', { input: { key: 'b/1' } })).response).toMatchObject({
        body: 'text',
        contentType: 'text/plain; charset=utf-8',
      })
      const listed = await ask('list', { input: { key: 'b/' } })
      expect(listed.status, JSON.stringify(listed.body)).toBe(200)
      expect(listed.response).toEqual({
        items: ['b/1', 'b/2', 'b/3+4'].map((key) => ({
          key,
          size: 4,
          etag: expect.stringMatching(/^[0-9a-f]{32}$/),
          lastModified: expect.stringMatching(/Z$/),
        })),
        next: null,
      })
      const rest = (await ask('list', { input: { key: 'b/', after: 'b/2' } })).response
      expect(rest.items.map(({ key }: { key: string }) => key)).toEqual(['b/3+4'])
      for (const _ of [1, 2])
        expect((await ask('remove', { input: { key: 'b/1' } })).response).toEqual({ key: 'b/1' })
      const gone = await ask('get', { input: { key: 'b/1' } })
      expect([gone.status, gone.body.error_code]).toEqual([502, 'UPSTREAM_FAILED'])
    })

    it('8.1: a list that goes on says behind which key', async () => {
      const contents = (key: string) =>
        `<Contents><Key>${key}</Key><Size>3</Size><ETag>&#34;ab&#x22;</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`
      answer = () => ({
        status: 200,
        body: `<ListBucketResult><IsTruncated>true</IsTruncated>${contents(`${prefix}a`)}${contents(`${prefix}b&amp;c`)}</ListBucketResult>`,
      })
      await submit({ list: { ...OPERATIONS.list, limit: 2 } }, { endpoint: sink.url })
      const { response } = await ask('list', { input: { key: 'x', after: 'w' } })
      const item = { size: 3, etag: 'ab', lastModified: '2026-01-01T00:00:00.000Z' }
      expect(response).toEqual({
        items: [
          { key: 'a', ...item },
          { key: 'b&c', ...item },
        ],
        next: 'b&c',
      })
      const { searchParams } = new URL(sink.received.at(-1)?.path ?? '', sink.url)
      expect(Object.fromEntries(searchParams)).toEqual({
        'list-type': '2',
        'max-keys': '2',
        prefix: `${prefix}x`,
        'start-after': `${prefix}w`,
      })
      answer = refusal
    })

    it('8.1: what is no list of objects is no list of none', async () => {
      await submit({ list: OPERATIONS.list }, { endpoint: sink.url })
      const list = (inner: string) => `<ListBucketResult>${inner}</ListBucketResult>`
      const bodies = [
        '<!doctype html><title>Welcome</title>',
        '{}',
        '',
        list('<Contents><Key>&#x110000;</Key></Contents>'),
        list('<Contents>'),
        '<Error><Code>SlowDown</Code></Error>',
      ]
      for (const body of bodies) {
        answer = () => ({ status: 200, body })
        const asked = await ask('list', { input: { key: 'x' } })
        expect([body, asked.status, asked.body.error_code]).toEqual([body, 502, 'UPSTREAM_FAILED'])
      }
      const foreign = `<Contents><Key>elsewhere/a</Key></Contents><Contents><Key><![CDATA[${prefix}a&b]]></Key></Contents>`
      answer = () => ({ status: 200, body: list(foreign) })
      const { response } = await ask('list', { input: { key: 'x' } })
      expect(response.items.map(({ key }: { key: string }) => key)).toEqual(['a&b'])
      answer = refusal
    })

    it('8.1: a presigned address reads and writes without keys, and stands in its answer alone', async () => {
      await submit(OPERATIONS)
      const { status, body, response } = await ask('presignPut', { input: { key: 'p.txt' } })
      expect(status).toBe(200)
      const expiresAt = new Date(server.clock.now() + 900_000).toISOString()
      expect(response).toEqual({ url: expect.any(String), method: 'PUT', expiresAt })
      const done = await fetch(response.url, { method: 'PUT', body: 'by itself' })
      expect([done.status, await done.text()]).toEqual([200, ''])
      const read = (await ask('presign', { input: { key: 'p.txt' } })).response
      expect(await (await fetch(read.url)).text()).toBe('by itself')
      const signature = new URL(response.url).searchParams.get('X-Amz-Signature') ?? ''
      expect(signature).toMatch(/^[0-9a-f]{64}$/)
      const look = async (path: string) =>
        JSON.stringify(
          (await server.request('GET', `/api/v1/shop/integrations/store/${path}`, { token: server.admin }))
            .body,
        )
      expect(await look('log')).toContain('p.txt')
      expect(await look('log')).not.toContain(signature)
      expect(await look(`runs/${body.data.runId}`)).not.toContain(signature)
    })

    it('3.2: a presigned address that is answered again stands in no table', async () => {
      await submit(OPERATIONS)
      const once = () =>
        server.request('POST', '/api/v1/shop/integrations/store/operations/presign', {
          token: server.admin,
          body: { input: { key: 'q.txt' } },
          headers: { 'Idempotency-Key': prefix },
        })
      const { status, body } = await once()
      expect(status).toBe(200)
      const signature = new URL(body.data.response.url).searchParams.get('X-Amz-Signature') ?? expect.fail()
      const again = await once()
      expect([again.headers.get('idempotency-replayed'), again.body.data]).toEqual(['true', body.data])
      expect(await everythingKept(server.database)).not.toContain(signature)
    })

    it('8.1: an item of the library is put as it is read', async () => {
      await submit({
        file: {
          resource: 'Order',
          action: 'put',
          key: 'slips/{number}.png',
          media: '$record.slip',
          write: { mapping: { etag: '$response.etag' } },
        },
        get: { ...KEY, action: 'get' },
      })
      const uploaded = await desk.upload({
        token: server.admin,
        path: '/api/v1/shop/media/upload',
        query: { filename: 'a.png', mime_type: 'image/png' },
      })
      const { id: slip, size } = uploaded.body.data
      const recordId = await order({ number: '7', slip })
      const { status, body, response } = await ask('file', { recordId })
      expect(status, JSON.stringify(body)).toBe(200)
      expect(response).toMatchObject({ key: 'slips/7.png', size })
      const { data } = (await server.request('GET', `/api/v1/shop/orders/${recordId}`)).body
      expect(data.etag).toBe(response.etag)
      expect((await ask('get', { input: { key: 'slips/7.png' } })).response).toMatchObject({
        size,
        contentType: 'image/png',
        body: null,
      })
      const nothing = await ask('file', { recordId: await order({ number: '8' }) })
      expect([nothing.status, nothing.body.errors[0]]).toMatchObject([
        422,
        { field: 'media', rule: 'mapping' },
      ])
    })

    describe('8.1: an object is saved to a media field', () => {
      const SAVE = {
        resource: 'Order',
        action: 'get',
        key: 'p/{number}',
        saveTo: 'picture',
        write: { mapping: { etag: '$response.etag' } },
      }
      const items = async () =>
        (await server.request('GET', '/api/v1/shop/media', { token: server.admin })).body.data.items
      const recordOf = async (id: string) =>
        (await server.request('GET', `/api/v1/shop/orders/${id}`)).body.data

      it('[8.1] as an item of the library, with its other writes, however large a body may be', async () => {
        await submit({ save: SAVE, presign: OPERATIONS.presignPut })
        const large = Buffer.concat([PNG, Buffer.alloc(20_000, 7)])
        const { response: place } = await ask('presign', { input: { key: 'p/20.png' } })
        await fetch(place.url, { method: 'PUT', body: large, headers: { 'content-type': 'image/png' } })
        const recordId = await order({ number: '20.png' })
        const { status, body, response } = await ask('save', { recordId })
        expect(status, JSON.stringify(body)).toBe(200)
        expect(response).toEqual({
          key: 'p/20.png',
          size: large.length,
          contentType: 'image/png',
          etag: expect.stringMatching(/^[0-9a-f]{32}$/),
          body: null,
        })
        const update = { resource: 'Order', action: 'update', id: recordId }
        expect(body.data.written).toEqual([update, update])
        const { picture, etag } = await recordOf(recordId)
        expect(etag).toBe(response.etag)
        const [item] = (await items()).filter(({ id }: { id: string }) => id === picture)
        expect(item).toMatchObject({ filename: '20.png', mime_type: 'image/png', size: large.length })
        const dry = await ask('save', { recordId, dryRun: true })
        expect(dry.body.data.request).toEqual({
          bucket: BUCKET,
          action: 'get',
          key: 'p/20.png',
          saveTo: 'picture',
        })
      })

      it('[8.1] and is none, with nothing written, where the library or the field does not take it', async () => {
        const before = (await items()).length
        const paper = { ...SAVE, saveTo: 'paper' }
        await submit({
          presign: OPERATIONS.presignPut,
          paper,
          typed: { ...paper, contentType: 'application/pdf' },
          unwritten: { ...SAVE, write: { mapping: { etag: '$response.nothing' }, required: ['etag'] } },
        })
        const { response: place } = await ask('presign', { input: { key: 'p/21.png' } })
        await fetch(place.url, { method: 'PUT', body: PNG, headers: { 'content-type': 'image/png' } })
        const recordId = await order({ number: '21.png' })
        const told = async (operation: string) => {
          const { status, body } = await ask(operation, { recordId })
          return [status, body.error_code, body.errors?.[0]?.rule ?? body.error_message]
        }
        // The field refuses the type, the library bytes that are not what they are called, a write what it requires.
        expect(await told('paper')).toEqual([422, 'VALIDATION_ERROR', 'accept'])
        expect(await told('typed')).toEqual([
          502,
          'UPSTREAM_FAILED',
          expect.stringContaining('the object is not saved'),
        ])
        expect(await told('unwritten')).toEqual([422, 'VALIDATION_ERROR', 'mapping'])
        expect(await recordOf(recordId)).toMatchObject({ paper: null, picture: null, etag: null })
        expect(await items()).toHaveLength(before)
        expect((await ask('unwritten', {})).body.errors[0]).toMatchObject({
          field: 'recordId',
          rule: 'required',
        })
      })

      it('[8.1] and only to one of the record that holds one item', async () => {
        const get = { action: 'get', key: 'a', resource: 'Order' }
        expect(await refused({ ...get, saveTo: 'number' })).toContain('no media field')
        expect(await refused({ ...get, saveTo: 'pictures' })).toContain('holds a list')
        expect(await refused({ action: 'get', key: 'a', saveTo: 'picture' })).toContain('about no record')
        expect(await refused({ ...get, action: 'delete', saveTo: 'picture' })).toContain('means nothing')
        expect(await refused({ ...get, contentType: 'text/plain' })).toContain("without 'saveTo'")
      })
    })

    it('8.1: a key stays below the prefix', async () => {
      await submit(OPERATIONS)
      for (const key of ['../a', 'a/../b', '/a', 'a//b', 'a\nb', '', './a', `${'x'.repeat(1030)}`]) {
        const { status, body } = await ask('put', { input: { key, value: 'x' } })
        expect([key, status, body.errors?.[0]]).toMatchObject([key, 422, { field: 'key', rule: 'mapping' }])
      }
      expect((await ask('list', {})).response.items).toEqual([])
    })

    it('8.1, 2.6: what is larger than a body may be fails, either way', async () => {
      await submit(OPERATIONS)
      const large = await ask('put', { input: { key: 'x', value: 'x'.repeat(5000) } })
      expect([large.status, large.body.errors[0].rule]).toEqual([422, 'mapping'])
      const { response } = await ask('presignPut', { input: { key: 'large' } })
      await fetch(response.url, { method: 'PUT', body: 'y'.repeat(5000) })
      const got = await ask('get', { input: { key: 'large' } })
      expect([got.status, got.body.error_code]).toEqual([502, 'UPSTREAM_FAILED'])
    })

    it('4.3, 3.2: requests are signed, and no key stands in what is told', async () => {
      await submit(OPERATIONS, {
        endpoint: sink.url,
        auth: { ...AUTH, sessionToken: '${SVC_DOMAIN_STORAGE_TOKEN}', region: 'eu-west-1' },
      })
      const before = sink.received.length
      const { status, body } = await ask('put', { input: { key: 'a', value: 'x' } })
      expect([status, body.error_code]).toEqual([502, 'UPSTREAM_FAILED'])
      expect(body.error_message).toContain('403 AccessDenied')
      const [got] = sink.received.slice(before)
      expect([got?.method, got?.path]).toEqual(['PUT', `/${BUCKET}/${prefix}a`])
      expect(got?.headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=S3RVER\/\d{8}\/eu-west-1\/s3\/aws4_request, SignedHeaders=.*x-amz-security-token.*Signature=[0-9a-f]{64}$/,
      )
      expect(got?.headers['x-amz-security-token']).toBe(VARIABLES.STORAGE_TOKEN)
      const { body: log } = await server.request('GET', '/api/v1/shop/integrations/store/log', {
        token: server.admin,
      })
      expect(JSON.stringify(log)).not.toContain(VARIABLES.STORAGE_TOKEN)
    })

    it('6.6: a dry run shows what would be done, and nothing that the caller may not read', async () => {
      await submit({
        file: { resource: 'Order', action: 'put', key: 'o/{number}', body: { secret: '$record.secret' } },
      })
      const recordId = await order({ number: '9', secret: 'hush' })
      expect((await ask('file', { recordId, dryRun: true })).body.data).toEqual({
        dryRun: true,
        request: {
          bucket: BUCKET,
          action: 'put',
          key: 'o/9',
          contentType: 'application/json',
          body: JSON.stringify({ secret: '***' }),
        },
      })
    })

    it('4.2: what a storage cannot be is refused where it stands', async () => {
      expect(await refused({ action: 'get' })).toContain('Write the key')
      expect(await refused({ action: 'put', key: 'a' })).toContain("Write 'body' or 'media'")
      expect(await refused({ action: 'get', key: 'a', limit: 3 })).toContain(
        "means nothing with 'action: get'",
      )
      expect(await refused({ action: 'presign', key: 'a', expiresIn: '8d' })).toContain('expiresIn')
      expect(await refused({ action: 'get', key: 'a' }, { endpoint: 'https://10.0.0.1' })).toContain(
        'does not connect to',
      )
      expect(await refused({ action: 'get', key: 'a' }, { prefix: '../x' })).toContain('prefix')
      expect(await refused({ action: 'get', key: 'a' }, { bucket: 'Not A Bucket' })).toContain('bucket')
      expect(
        await refused({ action: 'get', key: 'a' }, { auth: { ...AUTH, secretAccessKey: 'literal' } }),
      ).toContain('secretAccessKey')
    })
  })
}
