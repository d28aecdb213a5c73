import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pagesOf } from '../../../../../test/kit/pdf.ts'
import { size } from '../../../../../test/kit/size.ts'
import type { Layout, Picture } from '../../document.ts'
import { filled, SETTINGS } from '../../render.testkit.ts'
import type { Settings } from '../format.ts'
import { settle } from '../settle.ts'
import { hasPdfBinary } from './binary.ts'
import { renderPdf } from './pdf.ts'

const BODY = `# Łódź Москва € {title}

*a* **b** ~~c~~ \`d\` [e](https://example.org/) {title}

1. first
   - [x] done
2. second

> quoted

| Sku | Price |
| --- | ---: |
{#each lines}
| {sku} | {price} |
{/each}

\`\`\`
code {title}
\`\`\`

---
{pageBreak}
Behind ![gone](media:gone) ![broken](media:broken) ![good](media:good) {md | markdown}
`

const DATA = {
  title: '#set page(fill: red) #read("/etc/passwd") $x$ <b> Ελλάδα "q"',
  lines: [{ sku: 'A-1', price: 12.5 }],
  md: '**bold** words',
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const picture = (bytes: Buffer): Picture => ({ bytes, type: 'image/png', width: 1, height: 1 })

async function pdf(
  body = BODY,
  layout: Partial<Layout> = {},
  settings: Partial<Settings> = {},
): Promise<Uint8Array> {
  const { document } = await filled(body, DATA, {
    format: 'pdf',
    header: 'Head {title | truncate: 5}',
    footer: 'Page {page} of {pages}',
    async resolve(reference) {
      if (reference.from !== 'media' || reference.id === 'gone') return undefined
      return picture(reference.id === 'good' ? PNG : Buffer.from('no picture'))
    },
  })
  return renderPdf(settle(document), { ...SETTINGS, ...settings, layout: { ...SETTINGS.layout, ...layout } })
}

describe('C6.11: pdf', () => {
  it('is text that can be copied, of the characters of the values alone', async () => {
    const [first, second, ...others] = await pagesOf(await pdf())
    const copied = (first?.text ?? '').replaceAll(/\s+/g, ' ')
    expect(copied).toContain(`Łódź Москва € ${DATA.title}`)
    for (const shown of [
      'a b c d e',
      '1. first',
      'done',
      '2. second',
      'quoted',
      'Sku Price A-1 12.5',
      `code ${DATA.title}`,
    ])
      expect(copied).toContain(shown)
    expect(copied).toContain('Head #set')
    expect(copied).toContain('Page 1 of 2')
    expect(second?.text).toContain('Page 2 of 2')
    expect(second?.text.replaceAll(/\s+/g, ' ')).toMatch(/Behind gone broken .*bold words/)
    expect(others).toEqual([])
  })

  it('values stay values', async () => {
    const marks = [
      ...'#*_$@<>\\"`~[](){}/%=-+.,:;|&!?\'^ 019aZ',
      '#read("/etc/passwd")',
      '//',
      '/*',
      '${',
      'ffi',
      'Łódź',
      'Москва',
      '€',
      'Ελ',
    ]
    const values = fc
      .array(fc.constantFrom(...marks), { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const { document } = await filled('({v})\n\n- ({v})\n\n| ({v}) |\n| --- |', { v: value })
        const [page] = await pagesOf(await renderPdf(settle(document), SETTINGS))
        const shown = `(${value})`.replaceAll(/\s+/g, '')
        expect(page?.text.replaceAll(/\s+/g, '')).toBe(`${shown}•${shown}${shown}`)
      }),
      { numRuns: size('RENDER_PDF_RUNS', { smoke: 15, whole: 2000 }) },
    )
  })

  it('C6.12: has pages as they are laid out', async () => {
    const sizes = async (layout: Partial<Layout>) =>
      (await pagesOf(await pdf('a', layout))).map(({ width, height }) => [width, height])
    expect(await sizes({})).toEqual([[595, 842]])
    expect(await sizes({ orientation: 'landscape', pageSize: 'A5' })).toEqual([[595, 420]])
    expect(await sizes({ pageSize: 'Letter' })).toEqual([[612, 792]])
    expect(
      await pagesOf(await pdf('a', { logo: { number: 0, width: 40, position: 'center' } })),
    ).toHaveLength(1)
  })

  it('C6.14: is the same bytes each time, and carries no date of its own making', async () => {
    const first = await pdf()
    await pdf('another')
    expect(Buffer.compare(first, await pdf())).toBe(0)
    expect(Buffer.from(first).toString('latin1')).not.toMatch(/CreationDate|ModDate/)
    expect(Buffer.compare(first, await pdf(BODY, {}, { language: 'de-CH', title: 'Other' }))).not.toBe(0)
  })

  // Only a look over its shoulder tells which files a process opens.
  it.skipIf(spawnSync('strace', ['-V']).status !== 0)('C6.14: opens no font of the system', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-pdf-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [calls, asked] = [join(folder, 'calls'), join(folder, 'asked.json')]
    const { document } = await filled('Łódź Москва `code`', {}, { format: 'pdf' })
    writeFileSync(asked, JSON.stringify([settle(document), SETTINGS]))
    const renderer = new URL('../../../dist/formats/pdf/pdf.js', import.meta.url).href
    const script = `import { readFileSync } from 'node:fs'
      import { renderPdf } from ${JSON.stringify(renderer)}
      const bytes = await renderPdf(...JSON.parse(readFileSync(${JSON.stringify(asked)}, 'utf8')))
      process.exit(bytes.length > 1000 ? 0 : 1)`
    const run = [
      '-f',
      '-e',
      'trace=open,openat',
      '-o',
      calls,
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ]
    expect(spawnSync('strace', run, { env: {} }).status).toBe(0)
    const opened = readFileSync(calls, 'utf8')
    expect(opened).toContain('fonts.conf')
    expect(opened).not.toMatch(/\/etc\/fonts|\/share\/fonts|\.(?:ttf|otf|ttc|pfb)"/)
  })

  it('knows at the start whether it can be made here', () => {
    expect(hasPdfBinary()).toBe(true)
    expect(hasPdfBinary('plan9', 'x64')).toBe(false)
  })

  it('is set even of quotes a thousand deep', async () => {
    expect(
      await pagesOf(await pdf('{deep | markdown}'.replace('deep', `'${'>'.repeat(900)} a'`))),
    ).toHaveLength(1)
  })
})
