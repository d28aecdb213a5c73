import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { PDF, RAW, rawForm } from '../files/desk.ts'
import { avif, jpeg, png, tiff, webp } from './pictures.ts'
import { type Answer, BASE, useShelf } from './shelf.ts'

const shop = (more = '', name = 'shop') => `
domain:
  name: ${name}
  version: '1'${more}
  resources:
    Thing:
      object: { name: string }
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
type Part = readonly [headers: readonly string[], content: string]
const MEDIA = `${BASE}/media`
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
const told = ({ status, body }: Answer) => [
  status,
  body?.error_code,
  ...(body?.errors ?? []).map(({ field, rule }: any) => `${field}: ${rule}`),
]

for (const store of STORES) {
  describe(`the library of a domain on ${store.name}`, () => {
    const shelf = useShelf(store, shop(), { max_file_size: '100 KB', allowed_types: ['image/*', 'pdf'] })
    const list = async (query: string, path = MEDIA) => {
      const { status, body } = await shelf().send('GET', `${path}${query}`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body
    }
    const names = async (query: string, path?: string) =>
      (await list(query, path)).data.items.map(({ filename }: any) => filename)

    it('C2.2, C2.3: an upload makes an item, whose bytes are found at its path', async () => {
      const { id } = await shelf().server.account('vera')
      const { token } = await shelf().server.account('wim')
      const { status, body } = await shelf().add({ name: 'Ann & Ben.png', bytes: png(30, 20), token })
      expect([status, body]).toEqual([
        201,
        {
          status: 'ok',
          code: 201,
          data: {
            id: expect.stringMatching(new RegExp(`^${UUID}$`)),
            filename: 'Ann & Ben.png',
            mime_type: 'image/png',
            size: png(1, 1).length,
            path: expect.stringMatching(new RegExp(`^/api/v1/files/\\d{4}/\\d\\d/${UUID}\\.png$`)),
            width: 30,
            height: 20,
            created_at: expect.stringMatching(/Z$/),
            created_by: expect.not.stringMatching(id),
          },
        },
      ])
      const { data } = body
      expect(data.path).toContain(data.id)
      expect((await shelf().ask('GET', data.path, { token: undefined })).bytes.equals(png(30, 20))).toBe(true)
      const alone = await shelf().send('GET', `${MEDIA}/${data.id}`)
      expect(alone.body.data).toEqual({ ...data, reference_count: 0, references: [] })
      expect((await list('?search=ann%20%26')).data.items).toEqual([data])
    })

    it.each([
      ['a PNG', 'image/png', png(7, 9), [7, 9]],
      ['a JPEG that was held upright', 'image/jpeg', jpeg(70, 90), [70, 90]],
      ['a JPEG that was held on its side', 'image/jpeg', jpeg(70, 90, 6), [90, 70]],
      ['a JPEG whose frame comes late', 'image/jpeg', jpeg(70, 90, 6, 70_000), [90, 70]],
      ['a JPEG without a frame', 'image/jpeg', jpeg(70, 90).subarray(0, 42), [null, null]],
      [
        'a JPEG that never comes to it',
        'image/jpeg',
        Buffer.alloc(90_000, 0xff).fill(0xd8, 1, 2),
        [null, null],
      ],
      ['a GIF', 'image/gif', Buffer.from('GIF89a\x07\0\x09\0\0\0\0;', 'latin1'), [7, 9]],
      ['a TIFF with its size at the end', 'image/tiff', tiff({ 256: 70, 257: 90 }, 2000), [70, 90]],
      ['a TIFF on its side', 'image/tiff', tiff({ 256: 70, 257: 90, 274: 8 }), [90, 70]],
      ['a WebP', 'image/webp', webp(70, 90, 1), [70, 90]],
      ['a WebP that was held on its side', 'image/webp', webp(70, 90, 6), [90, 70]],
      ['a WebP that says so late', 'image/webp', webp(70, 90, 8, 90_001), [90, 70]],
      ['a WebP without the end that says so', 'image/webp', webp(70, 90, 8).subarray(0, 60), [70, 90]],
      ['an AVIF', 'image/avif', avif(70, 90, 2), [70, 90]],
      ['an AVIF that is turned', 'image/avif', avif(70, 90, 3), [90, 70]],
      ['an AVIF that is cut and turned', 'image/avif', avif(70, 90, 1, [60, 40]), [40, 60]],
      ['an AVIF without its properties', 'image/avif', avif(70, 90, 1).subarray(0, 60), [null, null]],
      ['an SVG', 'image/svg+xml', '<?xml version="1.0"?><!-- x --><svg width="40" height="30"/>', [40, 30]],
      ['an SVG by its box', 'image/svg+xml', '<svg viewBox="0 0 24 12"/>', [24, 12]],
      ['an SVG without a size', 'image/svg+xml', '<svg/>', [null, null]],
      ['a stump of a JPEG', 'image/jpeg', jpeg(70, 90).subarray(0, 12), [null, null]],
      ['a PNG that was held on its side', 'image/png', png(70, 90, tiff({ 274: 6 })), [90, 70]],
      [
        'a PNG that says so as JPEG does',
        'image/png',
        png(70, 90, Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0')),
        [90, 70],
      ],
      ['a PNG of which that is broken', 'image/png', png(70, 90, Buffer.from('MM')), [70, 90]],
      ['a PNG without pixels', 'image/png', png(55_551, 0), [null, null]],
      ['a TIFF without a height', 'image/tiff', tiff({ 256: 7 }), [null, null]],
      ['no picture', 'application/pdf', PDF, [null, null]],
    ])('C2.2: the pixels of %s', async (_, type, bytes, size) => {
      const { width, height } = (await shelf().item({ type, bytes })) as any
      expect([width, height]).toEqual(size)
    })

    it('C2.3: looks at the type first, then who calls, then the query, then the body', async () => {
      const json = { 'content-type': 'application/json' }
      const post = (query: string, headers: Record<string, string>, token?: string) =>
        shelf().ask('POST', `${MEDIA}/upload${query}`, { headers, body: 'x', token })
      expect(told(await post('', json))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect(told(await post('', RAW))).toEqual([401, 'UNAUTHORIZED'])
      const { token } = shelf().ann
      expect(told(await post('', RAW, token))).toEqual([400, 'MISSING_FIELDS'])
      expect(told(await post('?filename=a.png', RAW, token))).toEqual([400, 'MISSING_FIELDS'])
      expect(told(await post('?filename=..&mime_type=image/png', RAW, token))).toEqual([
        400,
        'MISSING_FIELDS',
      ])
      expect(told(await post('?filename=a&mime_type=png', RAW, token))).toEqual([400, 'INVALID_QUERY'])
      expect(told(await post('?filename=a&mime_type=image/png', RAW, token))).toEqual([400, 'BAD_REQUEST'])
      const form = (...parts: readonly Part[]) =>
        shelf().ask('POST', `${MEDIA}/upload?filename=a.png&mime_type=image/png`, {
          headers: RAW,
          body: rawForm(...parts),
        })
      expect(told(await form([['Content-Disposition: form-data; name="title"'], 'x']))).toEqual([
        422,
        'VALIDATION_ERROR',
        'file: required',
      ])
      const part = [['Content-Disposition: form-data; name="a"; filename="a"'], 'x'] satisfies Part
      expect(told(await form(part, part))).toEqual([422, 'VALIDATION_ERROR', 'file: items'])
      expect(await names('?search=a.png')).not.toContain('a')
    })

    it('C2.3: name and type are those of the query, and a size is ignored with a warning', async () => {
      const { body } = await shelf().add({
        name: 'other.txt',
        type: 'text/plain',
        bytes: png(1, 1),
        query: { filename: 'C:\\x\\b.png', mime_type: 'Image/X-PNG; q=1', size: '3' },
      })
      expect(body.data).toMatchObject({ filename: 'b.png', mime_type: 'image/png', size: png(1, 1).length })
      expect(body.warnings).toEqual([expect.objectContaining({ rule: 'ignored' })])
    })

    it.each([
      ['a type that is not taken', 'text/csv', 'a;b', 'accept'],
      ['other bytes', 'image/png', 'a;b', 'content'],
      ['too many bytes', 'image/png', Buffer.concat([png(1, 1), Buffer.alloc(110_000)]), undefined],
      ['nothing', 'image/png', '', 'content'],
    ])(
      'C2.4: %s is catalogued without bytes, and refused where strictness is asked',
      async (_, type, bytes, rule) => {
        const name = 'Ä 50%?.png'
        const { status, body } = await shelf().add({ name, type, bytes })
        expect([status, body.data]).toEqual([
          201,
          {
            id: expect.any(String),
            filename: name,
            mime_type: type,
            size: 0,
            path: `/media/${body.data.id}/%C3%84%2050%25%3F.png`,
            width: null,
            height: null,
            created_at: expect.any(String),
            created_by: expect.any(String),
          },
        ])
        expect(body.warnings).toEqual([
          { rule: 'file_rejected', message: expect.any(String), severity: 'warning', regulation: null },
        ])
        expect((await shelf().ask('GET', body.data.path)).status).toBe(404)
        expect((await shelf().send('GET', `${MEDIA}/${body.data.id}`)).status).toBe(200)
        const before = (await list('')).data.totalCount
        const strict = await shelf().add({ name, type, bytes, headers: { prefer: 'handling=strict' } })
        expect(told(strict)).toEqual(
          rule === undefined ? [413, 'PAYLOAD_TOO_LARGE'] : [422, 'VALIDATION_ERROR', `file: ${rule}`],
        )
        expect((await list('')).data.totalCount).toBe(before)
        expect((await shelf().send('DELETE', `${MEDIA}/${body.data.id}`)).status).toBe(204)
      },
    )

    it('C1.3: an upload with a key happens once', async () => {
      const headers = { 'idempotency-key': 'once' }
      const send = (bytes: Buffer) => shelf().add({ name: 'once.png', bytes, headers })
      const first = await send(png(5, 5))
      const again = await send(png(5, 5))
      expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([
        201,
        first.body,
        'true',
      ])
      expect(await names('?search=once')).toEqual(['once.png'])
      expect(told(await send(png(6, 6)))).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
    })

    it('C2.5: lists by name, type, order and part', async () => {
      const base = '/api/v1/shelves'
      await shelf().server.submit(shop('', 'shelves'))
      const add = (name: string, type: string, bytes: string | Buffer) =>
        shelf().item({ base, name, type, bytes })
      await add('Straße.png', 'image/png', png(1, 1))
      await add('b.jpg', 'image/jpg', jpeg(1, 1))
      await add('c.pdf', 'application/pdf', PDF)
      const at = `${base}/media`
      const inOrder = (query: string) => names(query, at)
      expect(await inOrder('')).toEqual(['c.pdf', 'b.jpg', 'Straße.png'])
      expect(await inOrder('?sort=created_at')).toEqual(['Straße.png', 'b.jpg', 'c.pdf'])
      expect(await inOrder('?sort=-mime_type,filename')).toEqual(['Straße.png', 'b.jpg', 'c.pdf'])
      expect(await inOrder('?sort=size')).toEqual(['c.pdf', 'Straße.png', 'b.jpg'].toSorted(bySize))
      expect(await inOrder('?search=STRA')).toEqual(['Straße.png'])
      expect(await inOrder('?search=_')).toEqual([])
      expect(await inOrder('?mime_type=image/*')).toEqual(['b.jpg', 'Straße.png'])
      expect(await inOrder('?mime_type=IMAGE/jpg')).toEqual(['b.jpg'])
      expect(await inOrder('?mime_type=image/')).toEqual([])
      expect(await inOrder('?mime_type=%25/*')).toEqual([])
      expect((await list('?limit=2&offset=2', at)).data).toMatchObject({
        count: 1,
        totalCount: 3,
        meta: { total: 3, page: 2, per_page: 2, total_pages: 2, has_next: false, has_prev: true },
      })
      expect((await list('', at)).data.meta.per_page).toBe(50)
      expect((await list('?limit=9999', at)).data.meta.per_page).toBe(500)
      const odd = await list('?sort=path&colour=red', at)
      expect([odd.data.count, odd.warnings.length]).toEqual([3, 2])
      expect(told(await shelf().send('GET', `${at}?limit=x`))).toEqual([400, 'INVALID_QUERY'])
      expect(told(await shelf().send('GET', `${at}?orphans=maybe`))).toEqual([400, 'INVALID_QUERY'])
      expect(await inOrder('?orphans=true')).toHaveLength(3)
      expect((await list('/orphans', at)).data).toEqual((await list('?orphans=true', at)).data)
      expect((await list('', at)).data.items[0]).not.toHaveProperty('references')
    })

    it('C2.2, C2.6: an item of another domain, and what is no id, is 404', async () => {
      await shelf().server.submit(shop('', 'others'))
      const { id } = await shelf().item({ base: '/api/v1/others' })
      for (const at of [`${MEDIA}/${id}`, `${MEDIA}/7`, `${MEDIA}/%00`]) {
        expect((await shelf().send('GET', at)).status).toBe(404)
        expect((await shelf().send('DELETE', at)).status).toBe(404)
      }
      expect((await shelf().send('POST', `${MEDIA}/bulk-delete`, { ids: [id] })).body.data).toEqual({
        deleted: 0,
        skipped: [],
        not_found: [id],
      })
    })

    it('C2.7: a deletion takes the bytes along', async () => {
      const { id, path } = await shelf().item()
      const found = await shelf().send('DELETE', `${MEDIA}/${id.toUpperCase()}`)
      expect([found.status, found.body]).toEqual([204, undefined])
      expect((await shelf().ask('GET', path)).status).toBe(404)
      expect((await shelf().send('GET', `${MEDIA}/${id}`)).status).toBe(404)
      const { root } = shelf().place.config as { root: string }
      await expect.poll(() => readdirSync(root, { recursive: true }).join()).not.toContain(id)
    })

    it('C2.7: many are deleted at once, and what is not there is told', async () => {
      const [one, two] = [await shelf().item(), await shelf().item()]
      const many = (body: unknown) => shelf().send('POST', `${MEDIA}/bulk-delete`, body)
      const gone = '00000000-0000-7000-8000-000000000000'
      const { status, body } = await many({ ids: [one.id, gone, two.id.toUpperCase(), one.id, 'x'] })
      expect([status, body.data]).toEqual([200, { deleted: 2, skipped: [], not_found: [gone, 'x'] }])
      const key = { 'idempotency-key': 'bulk' }
      const { id } = await shelf().item()
      const once = () =>
        shelf().ask('POST', `${MEDIA}/bulk-delete`, {
          token: shelf().server.admin,
          headers: { ...key, 'content-type': 'application/json' },
          body: JSON.stringify({ ids: [id] }),
        })
      expect([(await once()).body.data, (await once()).body.data]).toEqual([
        { deleted: 1, skipped: [], not_found: [] },
        { deleted: 1, skipped: [], not_found: [] },
      ])
      for (const wrong of [{}, { ids: 'x' }, { ids: [7] }, [], { ids: null }])
        expect(told(await many(wrong)).slice(0, 2)).toEqual([422, 'VALIDATION_ERROR'])
      expect(told(await many({ ids: Array.from({ length: 5000 }, () => one.id) }))).toEqual([
        422,
        'BULK_LIMIT_EXCEEDED',
      ])
    })

    it('C2.14: the actions have their names, and the bus hears of uploads and deletions', async () => {
      const heard: unknown[] = []
      const { kernel } = shelf().server
      const unhear = kernel.bus.on('svc.shop.media.*', (event, name) => heard.push([name, (event as any).id]))
      const { id } = await shelf().item()
      await shelf().send('DELETE', `${MEDIA}/${id}`)
      unhear()
      expect(heard).toEqual([
        ['svc.shop.media.uploaded', id],
        ['svc.shop.media.deleted', id],
      ])
      const actions = kernel.actions.list().map(({ name }) => name)
      for (const name of ['upload', 'list', 'get', 'delete', 'bulk-delete', 'orphans'])
        expect(actions).toContain(`svc.shop.media.${name}`)
    })

    it('the document says what an upload takes', async () => {
      const { body } = await shelf().send('GET', '/api/v1/domains/shop/openapi.json')
      const paths = Object.entries(body.paths).filter(([path]) => path.includes('/media'))
      const { post } = paths.find(([path]) => path.endsWith('/media/upload'))![1] as any
      expect(Object.keys(post.requestBody.content)).toEqual(['multipart/form-data'])
      expect(JSON.stringify(post.parameters)).toMatch(/filename.*mime_type.*Idempotency-?Key/i)
      expect(paths).toHaveLength(5)
    })
  })

  describe(`the tiers of a library on ${store.name}`, () => {
    const tiers = '{ browse: "*", upload: [clerk, owner], manage: [keeper, owner] }'
    const shelf = useShelf(store, shop(`\n  media: { permissions: ${tiers} }`))
    const media = '/api/v1/shop/media'

    it('C2.1: say who may browse, upload and manage, and the owner is who uploaded', async () => {
      const { token: clerk } = await shelf().server.account('carl', ['clerk'])
      const { token: keeper } = await shelf().server.account('kim', ['keeper'])
      const { token: nobody } = await shelf().server.account('nora')
      for (const [token, status] of [
        [undefined, 401],
        [nobody, 403],
        [keeper, 403],
        [shelf().server.admin, 403],
        [clerk, 201],
      ] as const)
        expect((await shelf().add({ token })).status).toBe(status)
      const { id } = await shelf().item({ token: clerk })
      const { id: other } = await shelf().item({ token: clerk })
      for (const token of [undefined, nobody, clerk])
        expect((await shelf().send('GET', `${media}/${id}`, undefined, token)).status).toBe(200)
      const orphans = async (token: string | undefined, path = `${media}/orphans`) => {
        const { status, body } = await shelf().send('GET', path, undefined, token)
        return [status, body.data?.totalCount]
      }
      expect(await orphans(undefined)).toEqual([401, undefined])
      expect(await orphans(undefined, `${media}?orphans=true`)).toEqual([401, undefined])
      expect(await orphans(nobody)).toEqual([200, 0])
      expect(await orphans(clerk)).toEqual([200, 3])
      expect(await orphans(keeper, `${media}?orphans=true`)).toEqual([200, 3])
      const remove = (token: string | undefined) => shelf().send('DELETE', `${media}/${id}`, undefined, token)
      expect(told(await remove(undefined))).toEqual([401, 'UNAUTHORIZED'])
      expect(told(await remove(nobody))).toEqual([403, 'FORBIDDEN'])
      const bulk = async (token: string) =>
        (await shelf().send('POST', `${media}/bulk-delete`, { ids: [other] }, token)).body.data
      expect(await bulk(nobody)).toEqual({ deleted: 0, skipped: [other], not_found: [] })
      expect((await remove(clerk)).status).toBe(204)
      expect(await bulk(keeper)).toEqual({ deleted: 1, skipped: [], not_found: [] })
    })

    it.each([
      ['an expression', 'browse: "user.id == 1"', "'browse'"],
      ['a member of something', 'browse: user.id', "'browse'"],
      ['a question mark', 'manage: "?"', "'manage'"],
      ['a question mark in a list', 'upload: [clerk, "?"]', "'upload'"],
      ['a number', 'upload: 7', "'upload'"],
    ])('C2.1: %s is no tier', async (_, written) => {
      const { status, body } = await shelf().send('POST', '/api/v1/domains', {
        content: shop(`\n  media: { permissions: { ${written} } }`),
      })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body)).toContain('permissions')
    })

    it('C2.1: a resource at the path of the library is refused where the domain speaks of media, and takes its place elsewhere', async () => {
      const taking = (key = '', picture = 'string') => `
domain:
  name: taking
  version: '1'${key}
  resources:
    Medium: { object: { name: string, picture: ${picture} }, permissions: { list: ['*'] } }
`
      const submit = (content: string) => shelf().send('POST', '/api/v1/domains', { content })
      for (const content of [taking('\n  media: {}'), taking('', 'media')]) {
        const refused = await submit(content)
        expect([refused.status, refused.body.error_code]).toEqual([422, 'PARSE_ERROR'])
        expect(JSON.stringify(refused.body)).toContain('api.path')
      }
      expect((await submit(taking())).status).toBe(201)
      const { body } = await shelf().send('GET', '/api/v1/taking/media')
      expect(body.data).toMatchObject({ items: [], totalCount: 0 })
      expect((await shelf().add({ base: '/api/v1/taking' })).status).toBe(404)
    })
  })

  describe(`libraries that the configuration opens, on ${store.name}`, () => {
    const shelf = useShelf(
      store,
      shop(`\n  media: { permissions: { upload: authenticated } }`),
      { upload_roles: ['editor'] },
      { media: { permissions: { upload: 'clerk', manage: ['keeper'] } } },
    )

    it('C2.1: a media upload needs its tier, and not files.upload_roles', async () => {
      expect((await shelf().upload()).status).toBe(403)
      expect((await shelf().add()).status).toBe(201)
      expect((await shelf().send('GET', `${MEDIA}/orphans`)).status).toBe(403)
    })
  })
}

const SIZES: Readonly<Record<string, number>> = {
  'Straße.png': png(1, 1).length,
  'b.jpg': jpeg(1, 1).length,
  'c.pdf': PDF.length,
}
const bySize = (a: string, b: string): number => SIZES[a]! - SIZES[b]!
