import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, type ParserError } from 'parse5'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linesOf, readPdf } from '../../kit/pdf.ts'
import {
  createFolder,
  type ServerProcess,
  startServer,
  type TestFolder,
  testConfig,
} from '../../kit/server-process.ts'
import { STORES } from '../../kit/stores.ts'

const FORMATS = ['pdf', 'docx', 'html', 'markdown'] as const
const PATIENCE_MS = 180_000

const BODY = `# No. {number} & <{title}>

A *b* **{title}** ~~d~~ \`{number}\` [link](https://example.org/{number}) {total | money: 'EUR'} {day | date: 'EEEE, d MMMM yyyy'} {at | datetime}

{#each rows as row}
1. {row.name} {loop.index} of {loop.count}
{:else}
nothing
{/each}

| Name | Price |
| :--- | ---: |
{#each rows as row}
| {row.name} | {row.price | decimal: 2} |
{/each}

> quoted
>
> - [x] done
> - [ ] open {icon | image: 10}

{pageBreak}
{words | markdown}
`

const definition = `
domain:
  name: papers
  version: '1'
  config: { currency: EUR, timezone: Asia/Kathmandu }
  resources:
    Note: { object: { text: string }, permissions: { list: ['*'] } }
  templates:
${FORMATS.map(
  (format) => `    ${format}:
      format: ${format}
      permissions: { generate: ['*'] }
      data:
        number: { static: 12345.5 }
        total: { static: 1234567.891 }
        title: { static: 'Łódź Москва "quoted" ]]> €' }
        words: { static: "## Words\\n\\n- one\\n- two <b>x</b>" }
        day: { static: '2026-03-01' }
        at: { static: '2026-03-28T23:30:00Z' }
        icon: { static: '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><circle r="2"/></svg>' }
        rows: { static: [{ name: 'Zwölf', price: 0.1 }, { name: 'İstanbul', price: 99999.999 }, { name: '|*_', price: -1 }] }
      layout: { header: { left: '{title}', right: '{page} of {pages}' }, footer: Foot }
      body: ${JSON.stringify(BODY)}
`,
).join('')}
`

/** Where machines differ of which the same is asked. */
const MACHINES = [
  { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
  { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'tr' },
] as const

const hasOffice = spawnSync('soffice', ['--version']).status === 0
if (!hasOffice)
  process.stderr.write(
    '\n*** No LibreOffice was found: NO DOCX IS OPENED BY IT. Install libreoffice-writer. ***\n\n',
  )

for (const store of STORES)
  describe(`documents of two machines on ${store.name}`, () => {
    const servers: ServerProcess[] = []
    const drops: (() => Promise<void>)[] = []
    let folder: TestFolder
    let made: readonly Readonly<Record<string, Buffer>>[] = []

    beforeAll(async () => {
      folder = createFolder()
      const file = folder.write(definition, 'papers.yaml')
      for (const [at, env] of MACHINES.entries()) {
        const database = await store.open()
        drops.push(() => database.drop())
        const config = folder.write(
          testConfig({
            ...database.config(),
            domain: { domain_file: file },
            files: { root: join(folder.path, `files-${at}`) },
          }),
          `machine-${at}.json`,
        )
        servers.push(await startServer(config, { cwd: folder.path, env: { ...process.env, ...env } }))
      }
      made = await Promise.all(servers.map(previews))
    }, PATIENCE_MS)
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()))
      for (const drop of drops) await drop()
      folder?.remove()
    })

    it.each(FORMATS)(
      'C6.14: the same data are the same bytes of %s in another process, zone and locale',
      async (format) => {
        const [one, other] = made
        expect(one![format]!.length).toBeGreaterThan(200)
        expect(Buffer.compare(one![format]!, other![format]!)).toBe(0)
        const again = await previews(servers[1]!)
        expect(Buffer.compare(one![format]!, again[format]!)).toBe(0)
      },
    )

    it('C6.11: html is without a fault for a parser that tells each', () => {
      const faults: ParserError[] = []
      parse(made[0]!['html']!.toString(), { onParseError: (fault) => void faults.push(fault) })
      expect(faults.map(({ code, startLine, startCol }) => `${code} ${startLine}:${startCol}`)).toEqual([])
    })

    it('C6.11: pdf is read without a warning, and its text can be copied', async () => {
      const { pages, warnings } = await readPdf(made[0]!['pdf']!)
      expect(warnings).toEqual([])
      expect(pages).toHaveLength(2)
      expect(pages[0]!.text).toContain('Łódź Москва "quoted" ]]> €')
    })

    // Said above: there is no LibreOffice here.
    it.skipIf(!hasOffice)(
      'C6.11: docx is opened by LibreOffice, with all of its text',
      { timeout: PATIENCE_MS },
      async () => {
        const place = join(folder.path, 'office')
        mkdirSync(place, { recursive: true })
        writeFileSync(join(place, 'paper.docx'), made[0]!['docx']!)
        const profile = `-env:UserInstallation=file://${join(place, 'profile')}`
        const run = [
          '--headless',
          profile,
          '--convert-to',
          'pdf',
          '--outdir',
          place,
          join(place, 'paper.docx'),
        ]
        const { status, stderr } = spawnSync('soffice', run, { encoding: 'utf8', timeout: PATIENCE_MS })
        expect([status, /error|repair/i.test(stderr)]).toEqual([0, false])
        const pages = await linesOf(readFileSync(join(place, 'paper.pdf')))
        expect(pages).toHaveLength(2)
        for (const shown of [
          'Łódź Москва "quoted" ]]> €',
          'Zwölf',
          'İstanbul',
          '99,999.999',
          'quoted',
          'done',
          'Foot',
        ])
          expect(pages.join(' ')).toContain(shown.replace('99,999.999', '100,000.00'))
        expect(pages[1]).toContain('Words')
      },
    )
  })

/** One document of each format. */
async function previews({ url }: ServerProcess): Promise<Readonly<Record<string, Buffer>>> {
  const found: Record<string, Buffer> = {}
  for (const format of FORMATS) {
    const response = await fetch(`${url}/api/v1/papers/templates/${format}/preview`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': 'en' },
      body: '{}',
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    if (response.status !== 200) throw new Error(`${format}: ${response.status} ${bytes.toString()}`)
    found[format] = bytes
  }
  return found
}
