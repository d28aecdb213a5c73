import { SYSTEM } from '@svc/kernel'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useTestKernel } from '../../kit/test-kernel.ts'

const NS = 'xmlns="http://www.w3.org/2000/svg"'
const DIRTY = '<svg onload="alert(1)"><script>alert(1)</script><g/></svg>'
const CLEAN = `<svg ${NS}><g/></svg>`
const WARNING = {
  rule: 'svg',
  message: "'logo' was cleaned of 1 element (script) and 1 attribute (onload)",
  severity: 'warning',
  regulation: null,
}

const brands = (field = '{ type: svg }', version = '1') => `
domain:
  name: brands
  version: '${version}'
  blocks:
    picture: { fields: { drawing: svg } }
  resources:
    Brand:
      features: { versioning: true, export: true, import: true, search: true }
      object:
        name: { type: string, unique: true }
        logo: ${field}
        small: { type: svg, maxSize: 0.1 KB }
        stamp: { type: svg, default: '<svg><script/><g id="d"/></svg>' }
        marks: { type: array, items: svg }
        card: { type: component, fields: { front: svg } }
        page: blocks
      permissions: { list: ['*'], get: ['*'], create: ['*'], update: ['*'], delete: ['*'] }
`
const BRANDS = '/api/v1/brands/brands'

for (const store of STORES) {
  describe(`svg fields on ${store.name}`, () => {
    const server = useTestKernel({ store, definition: brands() })
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { token: server().admin, ...(body !== undefined && { body }) })
    const create = (values: object) => send('POST', BRANDS, values)
    const errorsOf = async (values: object) => {
      const { status, body } = await create(values)
      return [status, body.error_code, body.errors?.map(({ field, rule }: any) => [field, rule])]
    }
    const logoOf = async (id: string) => (await send('GET', `${BRANDS}/${id}`)).body.data.logo

    it.each([
      ['an undeclared prefix', '<svg xlink:href="#a"/>'],
      ['a bare &', '<svg>a & b</svg>'],
      ['something behind the root', '<svg/><g/>'],
      ['no XML', 'logo.svg'],
      ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
      ['nothing', ''],
      ['blanks', ' \n\t'],
      ['an internal subset', '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'],
      [
        'entities that multiply',
        `<!DOCTYPE svg [<!ENTITY a "${'x'.repeat(99)}"><!ENTITY b "${'&a;'.repeat(99)}">]><svg>&b;</svg>`,
      ],
      ['elements 101 deep', `<svg>${'<g>'.repeat(100)}${'</g>'.repeat(100)}</svg>`],
      ['50,001 elements', `<svg>${'<g/>'.repeat(50_000)}</svg>`],
      ['more than 256kb', `<svg>${' '.repeat(256 * 1024)}</svg>`],
    ])('[C3.1] refuse %s by the rule svg', async (_, logo) => {
      expect(await errorsOf({ logo })).toEqual([422, 'VALIDATION_ERROR', [['logo', 'svg']]])
    })

    it('[C3.1] count maxSize as UTF-8, before cleaning, and say it', async () => {
      const of = (letters: number) => `<svg><!--${'é'.repeat(letters)}--></svg>`
      expect([Buffer.byteLength(of(42)), of(42).length]).toEqual([102, 60])
      expect((await create({ small: of(42) })).status).toBe(201)
      const { body } = await create({ small: of(43) })
      expect(body.errors).toEqual([
        { field: 'small', rule: 'svg', message: 'must be at most 102 bytes of SVG' },
      ])
    })

    it('[C3.1] take back what they answer, though it is longer than what was sent', async () => {
      const { body } = await create({ name: 'long', small: `<svg>${'<g id="a"/>'.repeat(8)}</svg>` })
      const { id, small } = body.data
      expect(Buffer.byteLength(small)).toBeGreaterThan(102)
      expect((await send('PATCH', `${BRANDS}/${id}`, { small })).status).toBe(200)
      expect((await send('PATCH', `${BRANDS}/${id}`, { small: null })).status).toBe(200)
      const reverted = await send('POST', `${BRANDS}/${id}/revert`, { version: 1 })
      expect([reverted.status, reverted.body.data?.small]).toEqual([200, small])
      expect((await send('POST', `${BRANDS}/import`, [{ name: 'copy', small }])).status).toBe(201)
      expect((await create({ small: small.replaceAll('/>', '></g>') })).status).toBe(422)
    })

    it('[C3.1] take a root without a namespace for that of SVG, and 100 levels', async () => {
      const { status, body } = await create({ logo: `<svg>${'<g>'.repeat(99)}${'</g>'.repeat(99)}</svg>` })
      expect([status, body.data.logo.startsWith(`<svg ${NS}><g>`)]).toEqual([201, true])
    })

    it('[C3.1] tell all faults of a body together, those inside of others too', async () => {
      const values = {
        logo: 'x',
        small: 1,
        marks: [CLEAN, ''],
        card: { front: '<g/>' },
        page: [{ type: 'picture', data: { drawing: '<svg>' } }],
      }
      expect(await errorsOf(values)).toEqual([
        422,
        'VALIDATION_ERROR',
        [
          ['logo', 'svg'],
          ['small', 'type'],
          ['marks.1', 'svg'],
          ['card.front', 'svg'],
          ['page.0.data.drawing', 'svg'],
        ],
      ])
    })

    it('[C3.2] are new documents of what is known alone, and cleaning twice is cleaning once', async () => {
      const logo = `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
        <s:svg xmlns:s="http://www.w3.org/2000/svg" xmlns:i="http://www.inkscape.org/namespaces/inkscape" i:version="1"><!-- x --><?pi y?>
        <i:layer>gone</i:layer><s:text>a<![CDATA[ < b]]></s:text><s:blink>gone</s:blink></s:svg>`
      const { body } = await create({ logo })
      expect(body.data.logo.replace(/\s*\n\s*/g, '')).toBe(`<svg ${NS}><text>a &lt; b</text></svg>`)
      expect(body.warnings.map(({ message }: any) => message)).toEqual([
        "'logo' was cleaned of 2 elements (layer, blink), 1 attribute (version), 1 comment, 1 processing instruction and 1 DOCTYPE",
      ])
      const again = await send('PUT', `${BRANDS}/${body.data.id}`, { logo: body.data.logo })
      expect([again.body.data.logo, again.body.warnings]).toEqual([body.data.logo, undefined])
    })

    it.each([
      '<script>x</script>',
      '<SCRIPT>x</SCRIPT>',
      '<iframe src="x"/>',
      '<object data="x"/>',
      '<embed src="x"/>',
      '<foreignObject><b xmlns="http://www.w3.org/1999/xhtml">x</b></foreignObject>',
      '<handler>x</handler>',
      '<listener/>',
      '<h:script xmlns:h="http://www.w3.org/1999/xhtml">x</h:script>',
      '<animate attributeName="xlink:href" to="#x"/>',
      '<set attributeName="onclick" to="x"/>',
      '<style>@import "x.css";</style>',
      '<style>@FONT-FACE{src:local(x)}</style>',
      '<style>a{fill:url(x.svg)}</style>',
      '<style>a{fill:ur\\6c(#x)}</style>',
    ])('[C3.3] never hold %s', async (inner) => {
      const { body } = await create({ logo: `<svg>${inner}</svg>` })
      expect([body.data.logo, body.warnings.length]).toEqual([`<svg ${NS}/>`, 1])
    })

    it.each([
      ['onclick="x"'],
      ['ONCLICK="x"'],
      ['xml:base="http://example.org"'],
      ['href="javascript:alert(1)"'],
      ['href="&#106;avascript&#58;alert(1)"'],
      ['xmlns:l="http://www.w3.org/1999/xlink" l:href="http://example.org/a.svg#b"'],
      ['style="fill:url(http://example.org/a)"'],
      ['fill="url(//example.org/a)"'],
    ])('[C3.3] never have an attribute %s', async (attribute) => {
      const { body } = await create({ logo: `<svg><use ${attribute}/></svg>` })
      expect([body.data.logo, body.warnings.length]).toEqual([`<svg ${NS}><use/></svg>`, 1])
    })

    it('[C3.3] keep links to parts of themselves, and pixels that stand in an image', async () => {
      const logo = `<svg ${NS} xmlns:xlink="http://www.w3.org/1999/xlink"><use href="#a"/><use xlink:href="#b"/><rect fill="url(#c)"/><image href="data:image/png;base64,AAAA"/></svg>`
      const { body } = await create({ logo })
      expect([body.data.logo, body.warnings]).toEqual([logo, undefined])
      const other = await create({ logo: '<svg><image href="data:image/svg+xml;base64,AAAA"/></svg>' })
      expect(other.body.data.logo).toBe(`<svg ${NS}><image/></svg>`)
    })

    it('[C3.4] warn of what was left out, where it was', async () => {
      const { body } = await create({ logo: DIRTY, marks: [CLEAN, DIRTY], card: { front: DIRTY } })
      expect(body.warnings).toEqual([
        WARNING,
        ...["'marks.1'", "'card.front'"].map((place) => ({
          ...WARNING,
          message: WARNING.message.replace("'logo'", place),
        })),
      ])
    })

    it('[C3.4] are cleaned on every path by which records are written', async () => {
      const created = await create({ name: 'a', logo: DIRTY })
      const { id } = created.body.data
      expect([created.body.data.logo, created.body.warnings]).toEqual([CLEAN, [WARNING]])

      const patched = await send('PATCH', `${BRANDS}/${id}`, { logo: `${DIRTY} ` })
      expect([await logoOf(id), patched.body.warnings]).toEqual([CLEAN, [WARNING]])
      await send('PUT', `${BRANDS}/${id}`, { name: 'a', logo: `<svg><script/><path/></svg>` })
      expect(await logoOf(id)).toBe(`<svg ${NS}><path/></svg>`)

      const bulk = await send('POST', `${BRANDS}/bulk`, {
        items: [{ name: 'b' }, { name: 'c', logo: DIRTY }],
      })
      expect(bulk.body.warnings).toEqual([{ ...WARNING, index: 1 }])
      await send('PATCH', `${BRANDS}/bulk`, { ids: [id], data: { logo: DIRTY } })
      expect(await logoOf(id)).toBe(CLEAN)
      await send('POST', `${BRANDS}/bulk`, { items: [{ id, logo: '<svg><script/></svg>' }], upsert: true })
      expect(await logoOf(id)).toBe(`<svg ${NS}/>`)

      const { body: versions } = await send('GET', `${BRANDS}/${id}/versions`)
      const { version } = versions.data.items.find((one: any) => one.version === 1) ?? {}
      expect((await send('POST', `${BRANDS}/${id}/revert`, { version })).status).toBe(200)
      expect(await logoOf(id)).toBe(CLEAN)

      await send('POST', `${BRANDS}/import`, [{ name: 'imported', logo: DIRTY }])
      await server().kernel.callAs(SYSTEM)('svc.brands.brand.create', {
        data: { name: 'called', logo: DIRTY },
      })
      const { body: list } = await send('GET', `${BRANDS}?filter[name][in]=imported,called,c`)
      expect(list.data.items.map(({ logo }: any) => logo)).toEqual([CLEAN, CLEAN, CLEAN])
    })

    it('[C3.4] take the default clean, and refuse a faulty one with its line', async () => {
      const { body } = await create({})
      expect([body.data.stamp, body.warnings]).toEqual([`<svg ${NS}><g id="d"/></svg>`, undefined])
      const submit = (content: string) => send('POST', '/api/v1/domains', { content })
      const { status, body: refused } = await submit(brands("{ type: svg, default: '<svg>' }", '9'))
      expect([status, refused.error_code, refused.errors]).toMatchObject([
        422,
        'PARSE_ERROR',
        [
          {
            path: expect.stringContaining('logo.default'),
            line: expect.any(Number),
            message: expect.stringContaining('well-formed'),
          },
        ],
      ])
      const size = await submit(brands('{ type: svg, maxSize: much }', '9'))
      expect([size.status, size.body.errors[0].path]).toEqual([422, expect.stringContaining('logo.maxSize')])
    })

    it('[C3.4] are filtered by null alone, neither sorted nor searched', async () => {
      expect((await send('GET', `${BRANDS}?filter[logo][null]=true&limit=1`)).status).toBe(200)
      for (const filter of ['filter[logo]=x', 'filter[logo][like]=g'])
        expect((await send('GET', `${BRANDS}?${filter}`)).status).toBe(400)
      const { body } = await send('GET', `${BRANDS}?sort=logo&limit=1`)
      expect(body.warnings[0].message).toContain('logo')
      expect((await send('GET', `${BRANDS}?search=svg`)).body.data.items).toEqual([])
    })

    it('[Svg fields] are strings in documents', async () => {
      const { body } = await send('GET', '/api/v1/domains/brands/openapi.json')
      expect(body.components.schemas.Brand.properties.logo).toMatchObject({
        type: ['string', 'null'],
        contentMediaType: 'image/svg+xml',
      })
    })
  })
}
