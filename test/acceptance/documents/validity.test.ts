import { HtmlValidate } from 'html-validate'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { useWorkroom } from './workroom.ts'

const DEFINITION = `
domain:
  name: shop
  version: '1'
  resources:
    Order:
      object: { number: string, note: string, lines: { type: repeater, fields: { name: string, price: integer } } }
  templates:
    page:
      format: html
      data: { order: { record: Order } }
      layout: { header: { left: 'Head {order.number}' }, footer: { right: 'Page {page} of {pages}' } }
      body: |
        # Order {order.number}

        Some *words* and **others**, ~~none~~, \`code\`, and [a link](https://example.org/a?b=c&d=<e>).

        - first
          - inside
        - [x] done
        3. third
        4. fourth

        > {order.note}

        {#if order.note}
        With a note.
        {/if}

        | Name | Price |
        | :--- | ---: |
        {#each order.lines}
        | {name} | {price} |
        {/each}

        {pageBreak}

        ---

        \`\`\`
        plain <text>
        \`\`\`

        ### مرحبا
`

// What HTML itself asks, and not what a house finds beautiful.
const validator = new HtmlValidate({
  extends: ['html-validate:standard'],
  // A '>' may stand in a text as it is.
  rules: { 'no-raw-characters': 'off' },
})

async function faultsOf(html: string): Promise<readonly string[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
  )
}

it('the validator finds what is wrong', async () => {
  expect(await faultsOf('<!doctype html><html lang="en"><p><div></div></p></html>')).not.toEqual([])
})

for (const store of STORES) {
  describe(`html documents on ${store.name}`, () => {
    const room = useWorkroom(store, DEFINITION)

    it('C6.11: are valid html, whatever their values hold', async () => {
      for (const note of ['plain', '', '</p><script>x</script>', '<!-- ]]> &amp; "quoted" \u0001']) {
        const lines = [
          { name: 'a <b>', price: 1 },
          { name: '|', price: 2 },
        ]
        const id = await room().record('orders', { number: 'A<1>', note, lines })
        expect(await faultsOf(await room().preview('page', { recordId: id })), note).toEqual([])
      }
    })
  })
}
