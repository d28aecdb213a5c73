import { strFromU8, unzipSync } from 'fflate'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { afterEach, describe, expect, it } from 'vitest'
import { size } from '../../../../../test/kit/size.ts'
import { linesOf, withoutForbidden } from '../../characters.ts'
import type { Picture } from '../../document.ts'
import { filled, SETTINGS } from '../../render.testkit.ts'
import { settle } from '../settle.ts'
import { renderDocx } from './docx.ts'

const BODY = `# Order {title}

A *b* **c** ~~d~~ \`e\` [one](https://example.org/a) and [two](mailto:a@b.c)\\
next {title}

3. first
   - [ ] open
   - [x] done

     more
4. second

> quoted
>
> - in it

| Left | Right |
| --- | ---: |
{#each lines}
| {sku} | **{price}** |
{/each}

\`\`\`
code
  {title}
\`\`\`

---
{pageBreak}
![a picture](media:p) ![gone](media:gone) {pic | image: 20}
`

const DATA = {
  title: 'T <&> "Łódź" Москва €',
  lines: [
    { sku: 'A', price: 1 },
    { sku: 'B', price: 2 },
  ],
  pic: 'p2',
}

// A png of one pixel.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const picture = { bytes: PNG, type: 'image/png', width: 100, height: 50 } satisfies Picture

const bytes = async (body = BODY): Promise<Uint8Array> => {
  const { document } = await filled(body, DATA, {
    format: 'docx',
    header: 'Head {title}',
    footer: '{page} of {pages}',
    logo: { from: 'media', id: 'logo' },
    resolve: async (reference) =>
      reference.from === 'media' && reference.id === 'gone' ? undefined : picture,
  })
  const logo = { number: document.pictures.length - 1, width: 30, position: 'right' } as const
  return renderDocx(settle(document), {
    ...SETTINGS,
    layout: { ...SETTINGS.layout, orientation: 'landscape', logo },
  })
}

/** The files in it, each as text. */
const parts = async (body?: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    Object.entries(unzipSync(await bytes(body))).map(([name, content]) => [name, strFromU8(content)]),
  )

/** Orders of children that the schema of ISO/IEC 29500-1 fixes, as far as they are written here. */
const ORDERS: Readonly<Record<string, readonly string[]>> = {
  'w:pPr': [
    'w:pStyle',
    'w:keepNext',
    'w:keepLines',
    'w:pageBreakBefore',
    'w:numPr',
    'w:pBdr',
    'w:shd',
    'w:tabs',
    'w:spacing',
    'w:ind',
    'w:jc',
    'w:outlineLvl',
    'w:rPr',
  ],
  'w:rPr': [
    'w:rStyle',
    'w:rFonts',
    'w:b',
    'w:bCs',
    'w:i',
    'w:iCs',
    'w:strike',
    'w:color',
    'w:sz',
    'w:szCs',
    'w:u',
    'w:vertAlign',
    'w:lang',
  ],
  'w:tblPr': [
    'w:tblStyle',
    'w:tblW',
    'w:jc',
    'w:tblInd',
    'w:tblBorders',
    'w:tblLayout',
    'w:tblCellMar',
    'w:tblLook',
  ],
  'w:tcPr': ['w:tcW', 'w:gridSpan', 'w:vMerge', 'w:tcBorders', 'w:shd', 'w:tcMar', 'w:vAlign'],
  'w:tbl': ['w:tblPr', 'w:tblGrid', 'w:tr'],
  'w:sectPr': [
    'w:headerReference',
    'w:footerReference',
    'w:type',
    'w:pgSz',
    'w:pgMar',
    'w:pgNumType',
    'w:cols',
    'w:titlePg',
    'w:docGrid',
  ],
  'w:lvl': [
    'w:start',
    'w:numFmt',
    'w:lvlRestart',
    'w:pStyle',
    'w:suff',
    'w:lvlText',
    'w:lvlJc',
    'w:pPr',
    'w:rPr',
  ],
  'w:body': ['w:p', 'w:tbl', 'w:sectPr'],
}

/** What is wrong with XML: how it is written, and what stands where it may not. */
function faultsIn(xml: string): readonly string[] {
  const faults: string[] = []
  const parser = new SaxesParser()
  const open: { readonly name: string; readonly children: string[] }[] = []
  parser.on('error', ({ message }) => void faults.push(message))
  parser.on('opentag', ({ name }) => {
    open.at(-1)?.children.push(name)
    open.push({ name, children: [] })
  })
  parser.on('closetag', () => {
    const { name, children } = open.pop()!
    const order = ORDERS[name]
    if (order === undefined) return
    const places = children.map((child) => order.indexOf(child))
    if (places.includes(-1)) faults.push(`${name} holds ${children}`)
    const isMixed = name === 'w:body'
    if (!isMixed && places.some((place, at) => place < (places[at - 1] ?? 0)))
      faults.push(`${name} has the order ${children}`)
    if (isMixed && children.indexOf('w:sectPr') !== children.length - 1)
      faults.push('a section ends before its body')
  })
  parser.write(xml).close()
  return faults
}

const wordsIn = (xml: string): string =>
  xml
    .replaceAll(/<w:br\/>/g, '\n')
    .replaceAll('</w:p>', '¶')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** The text of a document, read by a parser: a line feed for each break, a form feed behind each paragraph. */
function textIn(xml: string): string {
  let text = ''
  let isText = false
  const parser = new SaxesParser()
  parser.on('opentag', ({ name }) => {
    isText = name === 'w:t'
    if (name === 'w:br') text += '\n'
    if (name === 'w:tab') text += '\t'
  })
  parser.on('text', (part) => void (isText && (text += part)))
  parser.on('closetag', ({ name }) => {
    isText = false
    if (name === 'w:p') text += '\f'
  })
  parser.write(xml).close()
  return text
}

describe('C6.11: docx', () => {
  const zone = process.env['TZ']
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it('is XML whose elements stand in the order of the schema', async () => {
    const files = await parts()
    const faults = Object.entries(files)
      .filter(([name]) => /\.(?:xml|rels)$/.test(name))
      .flatMap(([name, xml]) => faultsIn(xml).map((fault) => `${name}: ${fault}`))
    expect(faults).toEqual([])
    const document = files['word/document.xml'] ?? ''
    const related = new Set(
      [...(files['word/_rels/document.xml.rels'] ?? '').matchAll(/Id="([^"]+)"/g)].map(([, id]) => id),
    )
    const asked = [...document.matchAll(/r:(?:id|embed)="([^"]+)"/g)].map(([, id]) => id)
    expect(asked.filter((id) => !related.has(id))).toEqual([])
    expect(asked).toEqual(expect.arrayContaining(['link1', 'link2']))
  })

  it('shows what the template says, with the characters of its values', async () => {
    const files = await parts()
    const words = wordsIn(files['word/document.xml'] ?? '')
    for (const shown of [
      `Order ${DATA.title}¶`,
      `next ${DATA.title}¶`,
      'first¶☐ open¶☑ done¶more¶second¶',
      'quoted¶in it¶',
      'Left¶Right¶A¶1¶B¶2¶',
      `code\n  ${DATA.title}¶`,
      ' gone ',
    ])
      expect(words).toContain(shown)
    expect(files['word/document.xml']).toMatch(
      /<w:start w:val="3"\/>|<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"\/>/,
    )
    expect(files['word/numbering.xml']).toContain('<w:start w:val="3"/>')
    expect(wordsIn(files['word/header1.xml'] ?? '')).toContain(`Head ${DATA.title}`)
    expect(files['word/footer1.xml']).toMatch(/PAGE<.*NUMPAGES</s)
    expect(Object.keys(files).filter((name) => name.startsWith('word/media/'))).not.toEqual([])
  })

  it('values stay values', async () => {
    const marks = [
      ...'<>&"\'\u0000\u0007\u001b\u007f\ufffe\ud800\udc00\ufeff \t\n\r{}#*',
      ']]>',
      '<!--',
      '<w:t>',
      '&#0;',
      '</w:p>',
      'Łódź',
      '😀',
    ]
    const values = fc.array(
      fc.oneof(fc.constantFrom(...marks), fc.string({ unit: 'binary', maxLength: 3 })),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(values, async (signs) => {
        const value = signs.join('')
        const { document } = await filled('a {v} **{v}**\n\n- a{v}b', { v: value }, { format: 'docx' })
        const file = unzipSync(await renderDocx(settle(document), SETTINGS))
        const xml = strFromU8(file['word/document.xml']!)
        const shown = linesOf(withoutForbidden(value)).join('\n')
        expect(faultsIn(xml)).toEqual([])
        expect(textIn(xml)).toBe(`a ${shown} ${shown}\fa${shown}b\f`)
      }),
      { numRuns: size('RENDER_DOCX_RUNS', { smoke: 8, whole: 1000 }) },
    )
  })

  it('C6.14: is the same bytes at any time, in any zone', async () => {
    process.env['TZ'] = 'Asia/Tokyo'
    const first = await bytes()
    await new Promise((resolve) => setTimeout(resolve, 1100))
    process.env['TZ'] = 'America/Los_Angeles'
    const second = await bytes()
    expect(Buffer.compare(first, second)).toBe(0)
    expect((await parts())['docProps/core.xml']).not.toMatch(/\d{4}-\d\d-\d\d/)
  })
})
