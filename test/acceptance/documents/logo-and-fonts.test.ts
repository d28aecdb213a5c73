import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { png } from '../media/pictures.ts'
import { BASE, useWorkroom } from './workroom.ts'

const FACES = join(
  dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')),
  'standard_fonts',
)
const SANS = readFileSync(join(FACES, 'LiberationSans-Regular.ttf'))
const LOGO = png(40, 20)
const NOBODYS = '018f0000-0000-7000-8000-000000000009'

const shop = (logo: string, regular: string) => `
domain:
  name: shop
  version: '1'
  config: { logo: ${logo} }
  media: { permissions: { browse: [admin] } }
  icons:
    marks: { icons: { star: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>' } }
  fonts:
    Body: { regular: ${regular} }
  resources:
    Order:
      object: { number: string, sign: string }
      permissions: { list: [admin], get: [admin, clerk], create: [admin], update: [admin], delete: [admin] }
  templates:
    item: { format: docx, layout: { logo: ${logo} }, permissions: { generate: [admin] }, body: 'Łódź' }
    wide: { format: docx, layout: { logo: { source: ${logo}, width: 100, position: right } }, permissions: { generate: [admin] }, body: 'x' }
    icon: { layout: { logo: 'marks:star' }, permissions: { generate: [admin] }, body: 'x' }
    ours: { format: docx, layout: { logo: '{config.logo}' }, permissions: { generate: [admin, clerk] }, body: 'x' }
    drawn: { format: docx, permissions: { generate: [admin] }, parameters: [{ name: sign }], body: 'x {$params.sign | image} x' }
    printed: { permissions: { generate: [admin] }, parameters: [{ name: sign }], body: 'x {$params.sign | image} x' }
    asked: { format: docx, layout: { logo: 'media:{sign}' }, permissions: { generate: [admin, clerk] }, parameters: [{ name: sign }], body: 'x' }
    none: { layout: { logo: ${NOBODYS} }, permissions: { generate: [admin] }, body: 'x' }
    own: { format: docx, layout: { logo: '{order.sign}' }, permissions: { generate: [admin, clerk] }, data: { order: { record: Order } }, body: 'x' }
    set: { layout: { font: Body }, permissions: { generate: [admin] }, body: 'Łódź Москва €' }
`

describe.each(STORES)('a layout on $name', (store) => {
  const room = useWorkroom(store, shop(NOBODYS, NOBODYS))
  let logo: string

  beforeAll(async () => {
    logo = await uploaded('logo.png', 'image/png', LOGO)
    await room().server.submit(shop(logo, await uploaded('sans.ttf', 'font/ttf', SANS)).replace("'1'", "'2'"))
  })

  async function uploaded(name: string, type: string, bytes: Buffer): Promise<string> {
    const query = { filename: name, mime_type: type }
    const path = `${BASE}/media/upload`
    const { status, body } = await room().upload({
      token: room().server.admin,
      name,
      type,
      bytes,
      path,
      query,
    })
    if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
    return body.data.id
  }
  const made = async (template: string, asked: object = {}, token = room().server.admin) => {
    const { id } = await room().generate(template, asked, token)
    return (await room().send('GET', `${BASE}/documents/${id}/download`, room().server.admin)).bytes
  }
  const warningsOf = async (template: string, asked: object = {}): Promise<readonly string[]> => {
    const path = `${BASE}/templates/${template}/generate`
    const { status, body } = await room().send('POST', path, room().server.admin, asked)
    if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`)
    return (body.warnings ?? []).map((one: { readonly message?: string }) => one.message ?? one)
  }
  /** The bytes of the pictures of a DOCX. */
  const picturesIn = (bytes: Buffer) =>
    Object.entries(unzipSync(new Uint8Array(bytes)))
      .filter(([name, content]) => name.startsWith('word/media/') && content.length > 0)
      .map(([, content]) => Buffer.from(content))
  const fontsIn = (bytes: Buffer) =>
    [...bytes.toString('latin1').matchAll(/\/BaseFont\s*\/(?:\w+\+)?([\w-]+)/g)].map(([, name]) => name)

  it('C6.12: shows an item of media as its logo, as wide and where it says', async () => {
    const bytes = await made('item')
    expect(picturesIn(bytes)).toEqual([LOGO])
    const document = (from: Buffer) =>
      Buffer.from(unzipSync(new Uint8Array(from))['word/document.xml']!).toString()
    // 40 mm and 100 mm in English Metric Units, of which a millimetre has 36,000, to the pixel.
    const widthIn = (from: Buffer) => Number(/<wp:extent cx="(\d+)"/.exec(document(from))?.[1]) / 36_000
    const wide = await made('wide')
    expect(widthIn(bytes)).toBeCloseTo(40, 0)
    expect(widthIn(wide)).toBeCloseTo(100, 0)
    expect(document(bytes)).not.toContain('<w:jc w:val="right"/>')
    expect(document(wide)).toMatch(/<w:jc w:val="(?:right|end)"\/>/)
  })

  it('C6.12: shows an icon as its logo; an item that is not there is left out, and told', async () => {
    const icon = await made('icon')
    expect(icon.subarray(0, 5).toString()).toBe('%PDF-')
    expect(icon.length).toBeGreaterThan((await made('none')).length)
    expect(await warningsOf('icon')).toEqual([])
    expect(await warningsOf('none')).toEqual([expect.stringContaining(NOBODYS)])
  })

  it('C6.12: a picture that a format cannot read is told, as one that is not there', async () => {
    const flat = await uploaded('flat.png', 'image/png', png(40, 0))
    for (const template of ['drawn', 'printed'])
      expect(await warningsOf(template, { sign: flat })).toEqual([
        `the picture ${flat} cannot be read: its text is shown`,
      ])
    expect(await warningsOf('drawn', { sign: logo })).toEqual([])
  })

  it('C6.12: shows what a placeholder names, to those who may browse it alone', async () => {
    const order = await room().record('orders', { number: '1', sign: logo })
    expect(picturesIn(await made('own', { recordId: order }))).toEqual([LOGO])
    const clerk = await room().account('clerk', ['clerk'])
    expect(picturesIn(await made('own', { recordId: order }, clerk.token))).toEqual([])
    expect(picturesIn(await made('asked', { sign: logo }, clerk.token))).toEqual([])
    expect(picturesIn(await made('ours', {}, clerk.token))).toEqual([LOGO])
    const other = await room().record('orders', { number: '2', sign: NOBODYS })
    expect(picturesIn(await made('own', { recordId: other }))).toEqual([])
  })

  it('C5.3: is set in a font of media; one that cannot be read gives way to the built-in one', async () => {
    expect(fontsIn(await made('set'))).toContain('LiberationSans')
    expect(await warningsOf('set')).toEqual([])
    await room().server.submit(shop(logo, logo).replace("'1'", "'3'"))
    const fonts = fontsIn(await made('set'))
    expect(fonts).not.toContain('LiberationSans')
    expect(fonts).toEqual(expect.arrayContaining([expect.stringContaining('Libertinus')]))
    expect(await warningsOf('set')).toEqual([expect.stringContaining("the font 'Body' cannot be read")])
  })
})
