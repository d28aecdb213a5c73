import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { PDF } from '../files/desk.ts'
import { jpeg, png } from './pictures.ts'
import { type Answer, useShelf } from './shelf.ts'

const gallery = (more = '', fields = '') => `
domain:
  name: shop
  version: '1'${more}
  blocks:
    teaser: { fields: { picture: media, next: blocks } }
  resources:
    Piece:
      features: { import: true, export: true, versioning: true }
      object:
        name: string
        cover: { type: media, accept: [image/*, .pdf], maxSize: 1.5 KB }
        wide: { type: media, accept: png, minWidth: 640, maxWidth: 2000, minHeight: 10, maxHeight: 1000, aspectRatio: '16:9' }
        photos: { type: media, accept: image/*, minItems: 1, maxItems: 3 }
        files: { type: array, items: media }
        card: { type: component, fields: { front: media } }
        rows: { type: repeater, fields: { picture: media } }
        page: blocks${fields}
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const PIECES = '/api/v1/shop/pieces'
const GONE = '00000000-0000-7000-8000-000000000000'
const told = ({ status, body }: Answer) => [
  status,
  ...(body?.errors ?? []).map(({ field, rule }: any) => `${field}: ${rule}`),
]

for (const store of STORES) {
  describe(`media fields on ${store.name}`, () => {
    const shelf = useShelf(store, gallery())
    const create = (values: object) => shelf().send('POST', PIECES, values)

    it('C2.8: hold ids, one or a list, and answer ids', async () => {
      const { id } = await shelf().item()
      const values = { cover: id.toUpperCase(), photos: [id, id], files: [id], card: { front: id } }
      const { status, body } = await create(values)
      expect([status, body.data]).toEqual([201, expect.objectContaining({ ...values, cover: id })])
      expect(told(await create({ cover: 'x', photos: id, files: [7] }))).toEqual([
        422,
        'cover: format',
        'photos: type',
        'files.0: type',
      ])
    })

    it('C2.8: a list is one in the schema endpoint and in documents', async () => {
      const { fields } = (await shelf().send('GET', '/api/v1/domains/shop/schema')).body.data.resources.Piece
      expect(fields.cover).toMatchObject({ type: 'media', accept: ['image/*', '.pdf'], maxSize: '1.5 KB' })
      expect(fields.photos).toMatchObject({ type: 'array', items: { type: 'media', accept: 'image/*' } })
      expect(fields.files).toMatchObject({ type: 'array', items: { type: 'media' } })
      const { schemas } = (await shelf().send('GET', '/api/v1/domains/shop/openapi.json')).body.components
      const { cover, photos, files } = schemas.Piece.properties
      const uuid = { type: 'string', format: 'uuid' }
      expect(JSON.stringify(cover)).toContain('"format":"uuid"')
      expect([photos, files].map((one) => JSON.stringify(one))).toEqual([
        expect.stringContaining(JSON.stringify({ items: uuid }).slice(1, -1)),
        expect.stringContaining(JSON.stringify({ items: uuid }).slice(1, -1)),
      ])
      expect(photos).toMatchObject({ minItems: 1, maxItems: 3 })
    })

    it('C2.8: one is found by eq, ne, in and null, a list by null alone', async () => {
      const [a, b] = [await shelf().item(), await shelf().item()]
      const name = 'filtered'
      for (const cover of [a.id, b.id, null]) await create({ name, cover, files: cover && [cover] })
      const count = async (query: string) => {
        const { status, body } = await shelf().send('GET', `${PIECES}?filter[name]=${name}&${query}`)
        return status === 200
          ? [body.data.count, ...(body.warnings ?? []).map(({ rule }: any) => rule)]
          : status
      }
      expect(await count(`filter[cover]=${a.id.toUpperCase()}`)).toEqual([1])
      expect(await count(`filter[cover][ne]=${a.id}`)).toEqual([2])
      expect(await count(`filter[cover][in]=${a.id},${b.id}`)).toEqual([2])
      expect(await count('filter[cover][null]=true')).toEqual([1])
      expect(await count('filter[files][null]=true')).toEqual([1])
      for (const odd of ['[cover][gt]', '[cover][like]', '[files]', '[files][in]'])
        expect(await count(`filter${odd}=${a.id}`)).toBe(400)
    })

    it('C2.9: an id that names no item of the domain is refused, wherever it stands', async () => {
      const { id } = await shelf().item()
      await shelf().server.submit(gallery().replace('name: shop', 'name: others'))
      const { id: other } = await shelf().item({ base: '/api/v1/others' })
      const values = {
        cover: GONE,
        photos: [id, GONE],
        files: [other],
        card: { front: GONE },
        rows: [{ picture: id }, { picture: other }],
        page: [
          { type: 'teaser', data: { picture: id, next: [{ type: 'teaser', data: { picture: GONE } }] } },
        ],
      }
      expect(told(await create(values))).toEqual([
        422,
        'cover: reference',
        'photos.1: reference',
        'files.0: reference',
        'card.front: reference',
        'rows.1.picture: reference',
        'page.0.data.next.0.data.picture: reference',
      ])
    })

    it('C2.9: an id that names no item is refused on every path by which records are written', async () => {
      const { id } = await shelf().item()
      const made = async (values: object) => (await create(values)).body.data.id as string
      const key = await made({ name: 'one', cover: id })
      const wrong = { name: 'two', cover: GONE }
      const at = `${PIECES}/${key}`
      for (const [method, path, body] of [
        ['PUT', at, wrong],
        ['PATCH', at, { cover: GONE }],
        ['POST', `${PIECES}/bulk`, { items: [{ name: 'x' }, wrong] }],
        ['POST', `${PIECES}/bulk`, { items: [{ ...wrong, id: key }], upsert: true, conflict: ['id'] }],
        ['PATCH', `${PIECES}/bulk`, { ids: [key], data: { cover: GONE } }],
        ['POST', `${PIECES}/import`, { items: [wrong] }],
      ] as const) {
        const { status, body: answer } = await shelf().send(method, path, body)
        expect([method, path, status < 500, JSON.stringify(answer)]).toEqual([
          method,
          path,
          true,
          expect.stringContaining('"rule":"reference"'),
        ])
        const { data } = (await shelf().send('GET', at)).body
        expect(data.cover).toBe(id)
      }
      const { data } = (await shelf().send('GET', `${PIECES}?filter[cover]=${GONE}`)).body
      expect(data.items).toEqual([])
    })

    it.each([
      ['a type that is none of them', { cover: ['text/csv', 'a;b'] }, ['cover: accept']],
      ['a name that says another type', { cover: ['text/plain', 'x', 'x.png'] }, ['cover: accept']],
      ['an extension stands for its type', { cover: ['application/pdf', PDF, 'x.txt'] }, []],
      [
        'too many bytes',
        { cover: ['image/png', Buffer.concat([png(1, 1), Buffer.alloc(1600)])] },
        ['cover: maxSize'],
      ],
      ['as large as may be', { cover: ['image/png', Buffer.concat([png(1, 1), Buffer.alloc(1400)])] }, []],
      ['no pixels at all', { wide: ['image/png', png(0, 0)] }, PIXELS()],
      ['no bytes at all', { wide: ['image/png', 'x'] }, ['wide: accept', ...PIXELS()]],
      ['too narrow', { wide: ['image/png', png(639, 360)] }, ['wide: minWidth']],
      [
        'too wide',
        { wide: ['image/png', png(2001, 1001)] },
        ['wide: maxWidth', 'wide: maxHeight', 'wide: aspectRatio'],
      ],
      ['too low', { wide: ['image/png', png(700, 9)] }, ['wide: minHeight', 'wide: aspectRatio']],
      ['as it has to be', { wide: ['image/png', png(640, 360)] }, []],
      ['within one per cent', { wide: ['image/png', png(1600, 909)] }, []],
      ['past one per cent', { wide: ['image/png', png(1600, 910)] }, ['wide: aspectRatio']],
      ['another form', { wide: ['image/jpeg', jpeg(640, 360)] }, ['wide: accept']],
      ['one of a list', { photos: ['application/pdf', PDF] }, ['photos.0: accept']],
    ])(
      'C2.9, C2.10, C7.8: the constraints of a field, each a rule of its own: %s',
      async (_, written, rules) => {
        const [[field, [type, bytes, name = 'x']]] = Object.entries(written) as [
          [string, [string, Buffer | string, string?]],
        ]
        const { id } = (await shelf().add({ type, bytes, name })).body.data
        const answer = await create({ [field]: field === 'photos' ? [id] : id })
        expect(told(answer)).toEqual(rules.length > 0 ? [422, ...rules] : [201])
        for (const { message } of answer.body.errors ?? []) expect(message).not.toMatch(/[{}]/)
      },
    )

    it('C2.9: a list of the wrong length is rule items', async () => {
      const { id } = await shelf().item()
      expect(told(await create({ photos: [] }))).toEqual([422, 'photos: items'])
      expect(told(await create({ photos: [id, id, id, id] }))).toEqual([422, 'photos: items'])
      expect(told(await create({ photos: null, files: [] }))).toEqual([201])
    })

    it('C2.8, C2.10: what a list says of its items counts, unless they say it themselves', async () => {
      const fields = (more: string) =>
        gallery(
          '',
          `\n        outer: { type: array, items: media, ${more} }\n        both: { type: array, accept: pdf, maxSize: 10, items: { type: media, maxSize: 1kb } }`,
        )
      const content = fields('accept: image/*, minWidth: 640, maxItems: 2')
      const preview = await shelf().send('POST', '/api/v1/domains/shop/preview', { content })
      expect(JSON.stringify(preview.body.warnings ?? [])).not.toContain('means nothing')
      await shelf().server.submit(content)
      const [wide, narrow] = [await shelf().item(), await shelf().item({ bytes: png(639, 480) })]
      const pdf = await shelf().item({ type: 'application/pdf', bytes: PDF })
      expect(told(await create({ outer: [wide.id], both: [pdf.id] }))).toEqual([201])
      expect(told(await create({ outer: [narrow.id, pdf.id], both: [wide.id] }))).toEqual([
        422,
        'outer.0: minWidth',
        'outer.1: accept',
        'outer.1: minWidth',
        'both.0: accept',
      ])
      expect(told(await create({ outer: [wide.id, wide.id, wide.id] }))).toEqual([422, 'outer: items'])
      const wrong = await shelf().send('POST', '/api/v1/domains', {
        content: fields('accept: [png, nonsense]'),
      })
      expect(JSON.stringify(wrong.body.errors)).toContain('Piece.object.outer.accept.1"')
      await shelf().server.submit(gallery(), { allow_destructive: true })
    })

    it('C2.9: ids that the field held before are not asked about again', async () => {
      const pdf = await shelf().item({ type: 'application/pdf', bytes: PDF })
      const picture = await shelf().item()
      const { id } = (await create({ cover: pdf.id, files: [picture.id] })).body.data
      const stricter = gallery().replace('[image/*, .pdf]', 'image/*')
      const { body } = await shelf().send('POST', '/api/v1/domains/shop/preview', { content: stricter })
      expect(body.data.destructive).toBe(false)
      await shelf().server.submit(stricter)
      const patch = (values: object) => shelf().send('PATCH', `${PIECES}/${id}`, values)
      expect(told(await patch({ cover: pdf.id, name: 'x' }))).toEqual([200])
      expect(told(await patch({ files: [picture.id, picture.id] }))).toEqual([200])
      expect(told(await create({ cover: pdf.id }))).toEqual([422, 'cover: accept'])
      await shelf().server.submit(gallery())
    })

    it('C2.9: with enforce: false a field takes any uuid', async () => {
      await shelf().server.submit(gallery('\n  media: { enforce: false }'))
      expect(told(await create({ cover: GONE, files: [GONE] }))).toEqual([201])
      expect(told(await create({ cover: 'x' }))).toEqual([422, 'cover: format'])
      await shelf().server.submit(gallery())
      expect(told(await create({ cover: GONE }))).toEqual([422, 'cover: reference'])
    })

    it.each([
      ['accept: nonsense', 'accept'],
      ['accept: [png, nonsense]', 'accept.1'],
      ['accept: image/', 'accept'],
      ['accept: 7', 'accept'],
      ['accept: []', 'accept'],
      ['maxSize: much', 'maxSize'],
      ['maxSize: 0', 'maxSize'],
      ['maxSize: -1kb', 'maxSize'],
      ['minWidth: 0', 'minWidth'],
      ['minWidth: 1.5', 'minWidth'],
      ["maxHeight: '12'", 'maxHeight'],
      ['minWidth: 20, maxWidth: 10', 'maxWidth'],
      ['minHeight: 20, maxHeight: 10', 'maxHeight'],
      ["aspectRatio: '16'", 'aspectRatio'],
      ["aspectRatio: '0:9'", 'aspectRatio'],
      ["aspectRatio: '9:0'", 'aspectRatio'],
      ["aspectRatio: '-4:3'", 'aspectRatio'],
      ['minItems: 3, maxItems: 2', 'maxItems'],
      ['minItems: -1', 'minItems'],
      ['minItems: 1, accept: nonsense', 'accept'],
    ])('C2.10: { type: media, %s } is refused with its place', async (written, path) => {
      const content = gallery('', `\n        odd: { type: media, ${written} }`)
      const { status, body } = await shelf().send('POST', '/api/v1/domains', { content })
      expect([status, body.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(body)).toContain(`domain.resources.Piece.object.odd.${path}`)
    })
  })
}

function PIXELS() {
  return ['minWidth', 'maxWidth', 'minHeight', 'maxHeight', 'aspectRatio'].map((name) => `wide: ${name}`)
}
