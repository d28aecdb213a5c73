import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, describe, it, onTestFinished } from 'vitest'
import { BASE, useWorkroom } from '../acceptance/documents/workroom.ts'
import { docxText } from '../acceptance/documents/read-back.ts'
import { officePath, printed } from '../kit/office.ts'
import { linesOf } from '../kit/pdf.ts'
import { STORES } from '../kit/stores.ts'

/** More than a page of a table. */
const ROWS = 800

const DEFINITION = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { number: string, note: string }
    Line:
      object: { name: string, price: integer }
      relationships: { order: { type: belongsTo, target: Order } }
  templates:
    word:
      format: docx
      data: { order: { record: Order }, lines: { source: Line, sort: [name] } }
      layout: { header: { left: 'Head {order.number}' }, footer: { right: 'Page {page} of {pages}' } }
      body: |
        # Order {order.number}

        Some *words* and **others**, ~~none~~, \`code\`, and [a link](https://example.org/a?b=c).

        - first
        - second
          1. inside
          2. of it

        > {order.note}

        | Name | Price |
        | --- | ---: |
        {#each lines}
        | {name} | {price} |
        {/each}

        ---

        ## مرحبا بالعالم

        The end: Łódź, Москва, 5 €.
`

const [store] = STORES

// Without a LibreOffice there is nobody to open documents; office.ts says so on the standard error.
describe.skipIf(officePath === undefined)('documents of Word in another word processor', () => {
  const room = useWorkroom(store!, DEFINITION)

  it(`open without repair and show what they hold, ${ROWS} rows of a table too`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-office-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { admin } = room().server
    const note = 'A note with <tags>, & more ]]>'
    const id = await room().record('orders', { number: 'A-17', note })
    const names = Array.from({ length: ROWS }, (_, at) => `Part ${String(at).padStart(4, '0')}`)
    for (let at = 0; at < ROWS; at += 100) {
      const items = names.slice(at, at + 100).map((name) => ({ name, price: at, orderId: id }))
      expect((await room().send('POST', `${BASE}/lines/bulk`, admin, { items })).status).toBe(201)
    }
    const { status, bytes } = await room().send('POST', `${BASE}/templates/word/preview`, admin, {
      recordId: id,
    })
    expect(status).toBe(200)
    const pages = await linesOf(Buffer.from(await printed(folder, 'word', bytes)))
    const shown = pages.join(' ')
    for (const text of ['Order A-17', 'Some words and others', 'first', 'inside', note, 'Łódź, Москва, 5 €'])
      expect(shown, text).toContain(text)
    for (const name of names) expect(shown).toContain(name)
    expect(shown).toContain('Head A-17')
    expect(shown).toMatch(/Page 1 of \d\d/)
    expect(docxText(bytes)).toContain('مرحبا')
  })
})
