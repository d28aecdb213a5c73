import { parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import { STORES } from '../../kit/stores.ts'
import { BASE, useWorkroom } from './workroom.ts'

const HOSTILE =
  '{number} {#each x} # a <script>x</script> [l](javascript:x) ![p](https://e.example/p.png) `c` &amp; *b*'

const template = (format: string, body: string, more = '') =>
  `{ format: ${format}, permissions: { generate: ['*'] }${more}, data: { order: { record: Order }, number: { static: of data }, list: { static: [1, null, 'c'] }, object: { static: { a: [1] } }, none: { static: null }, empty: { static: [] }, long: { static: { length: 3 } }, items: { static: [{ name: x, number: of item }, { name: y }] }, hostile: { static: ${JSON.stringify(HOSTILE)} }, many: { static: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } }, body: ${JSON.stringify(body)} }`

const many = (levels: number, inner: string): string =>
  levels === 0 ? inner : `{#each many as m${levels}}${many(levels - 1, inner)}{/each}`
const nested = (levels: number): string => (levels === 0 ? 'x' : `{#if 1 == 1}${nested(levels - 1)}{/if}`)

const PIPES = [
  "{word | upper}|{word | lower}|{word | title}|{word | trim}|{word | truncate: 4}|{none | default: 'no'}|{empty | default: 'no'}",
  "{list | join: '+'}|{items | size}|{word | size}|{price | decimal: 1}|{price | integer}|{share | percent}|{price | money: 'EUR'}|{word | decimal}",
].join('\n\n')

const shop = (more = '') => `
domain:
  name: shop
  version: '7'
  config: { place: Bath, currency: GBP }
  resources:
    Order:
      object: { number: string, word: string, price: decimal, share: decimal }
      permissions: { list: ['*'], get: ['*'], create: ['*'] }
  templates:
    names: ${template(
      'html',
      '{number}|{order.number}|{$record.number}|{word}|{config.place}|{domain.name} {domain.version}|{template.name}|{ other }|{$params.word}|{#each items}{number};{/each}',
      ', parameters: [{ name: word, default: of parameters }]',
    )}
    values: ${template('html', '{none}|{list}|{object}|{hostile}')}
    plain: ${template('markdown', '{hostile}')}
    pipes: ${template('markdown', PIPES)}
    loops: ${template(
      'markdown',
      '{#each items as item}{loop.index}/{loop.count} {item.name} {loop.first} {loop.last};{:else}none{/each}|{#each empty}x{:else}none{/each}|{#each none}x{:else}none{/each}|{#if price > 5}a{:else if price > 1}b{:else}c{/if}|{#if none}a{:else}c{/if}\n\n{#each items}\n- {name}\n{/each}',
    )}
    page: ${template('html', '# T\n\n<b>raw</b> [x](javascript:a) [y](https://e.example) ![gone](media:019ca945-0a00-7000-8000-000000000000)\n{pageBreak}\nend', ", layout: { header: 'Head {page}', footer: { right: Foot } }, filename: ' a/b:{number}*?.. '")}
    passes: ${template('markdown', many(5, '{m1}'))}
${more}
`

for (const store of STORES)
  describe(`what documents say on ${store.name}`, () => {
    const room = useWorkroom(store, shop())
    let id: string | undefined
    const order = async () =>
      (id ??= await room().record('orders', { number: 'A1', word: ' aB çd ', price: 2.25, share: 0.5 }))
    const made = async (name: string) => room().preview(name, { recordId: await order() })
    /** The words of a page's body, as a parser reads them. */
    const wordsOf = (page: string): string => {
      const words = (node: any): string =>
        node.nodeName === '#text'
          ? node.value
          : ['style', 'title'].includes(node.nodeName)
            ? ''
            : (node.childNodes ?? []).map(words).join('')
      return words(parse(page)).trim()
    }

    it('C6.7: names are those of loops, then of data, of the record, and of parameters', async () => {
      expect(wordsOf(await made('names'))).toBe(
        'of data|A1|A1| aB çd |Bath|shop 7|names|{ other }|of parameters|of item;of data;',
      )
    })

    it('C6.7, C6.11: what a value holds is never read as template, Markdown or markup', async () => {
      const page = await made('values')
      expect(wordsOf(page)).toBe(`|1, , c|{"a":[1]}|${HOSTILE}`)
      expect(page).not.toMatch(/<script|<a |<img|<em|<code|<h1/)
      const text = await made('plain')
      expect(
        text
          .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
          .replaceAll('&amp;', '&')
          .trim(),
      ).toContain('# a <script>x</script>')
    })

    it('C6.8: null prints nothing, a list its items, an object its JSON', async () => {
      const [none, list, object] = wordsOf(await made('values')).split('|')
      expect([none, list, object]).toEqual(['', '1, , c', '{"a":[1]}'])
    })

    it('C6.8: pipes work from left to right', async () => {
      const text = (await made('pipes')).replaceAll('\\', '').replaceAll('&#x20;', ' ')
      const [first, second] = text
        .trim()
        .split('\n\n')
        .map((line) => line.split('|').map((part) => part.trim()))
      expect(first).toEqual(['AB ÇD', 'ab çd', 'Ab Çd', 'aB çd', expect.stringMatching(/…$/), 'no', 'no'])
      expect(second).toEqual([
        expect.stringMatching(/^1\+{1,2}c$/),
        '2',
        '7',
        expect.stringMatching(/^2\.[23]$/),
        '2',
        '0.5%',
        '€2.25',
        'aB çd',
      ])
    })

    it('C6.9: loops tell where they stand, and conditions hold where they are exactly true', async () => {
      const [line, ...items] = (await made('loops'))
        .replaceAll('\\', '')
        .trim()
        .split('\n')
        .filter((one) => one !== '')
      expect(line).toBe('1/2 x true false;2/2 y false true;|none|none|b|c')
      expect(items).toEqual([expect.stringMatching(/^[-*] x$/), expect.stringMatching(/^[-*] y$/)])
    })

    it('C6.10, C6.12: raw HTML is left out, links are of few kinds, and top and foot of a page stand once', async () => {
      const page = await made('page')
      expect(page).not.toMatch(/<b>|javascript:|<script|<link/)
      expect(page.match(/<a /g)).toHaveLength(1)
      expect(wordsOf(page)).toContain('raw')
      expect(wordsOf(page)).toContain('gone')
      expect([page.match(/Head/g)?.length, page.match(/Foot/g)?.length]).toEqual([1, 1])
    })

    it.each([
      ['![x](https://e.example/p.png)'],
      ['{#each items}'],
      ['{#each items as item}a\n\n- b{/each}'],
      ['{word | nothing}'],
      ['{nothing}'],
      [nested(11)],
    ])('C6.9, C6.10, C6.14: the body %j is PARSE_ERROR', async (body) => {
      const content = shop(`    odd: ${template('html', body)}`).replace("version: '7'", "version: '8'")
      const { status, body: answer } = await room().send('POST', '/api/v1/domains', room().server.admin, {
        content,
      })
      expect([status, answer.error_code]).toEqual([422, 'PARSE_ERROR'])
      expect(JSON.stringify(answer)).toContain('templates.odd')
    })

    it('C6.13: the name of a file has no marks that systems read, and the extension of its format', async () => {
      const { filename } = await room().generate('page', { recordId: await order() })
      expect(filename).toBe('a-b-of data--.html')
      const plain = await room().generate('plain', { recordId: await order() })
      expect(plain.filename).toBe(`plain-${id}.md`)
    })

    it('C6.14, C7.8: past 50,000 passes it is RENDER_FAILED, which names that, and nothing is stored', async () => {
      const asked = { recordId: await order() }
      const { status, body } = await room().send(
        'POST',
        `${BASE}/templates/passes/generate`,
        room().server.admin,
        asked,
      )
      expect([status, body.error_code]).toEqual([422, 'RENDER_FAILED'])
      expect(body.error_message).toMatch(/50[,.]?000/)
      const { data } = (await room().send('GET', `${BASE}/documents?template=passes`, room().server.admin))
        .body
      expect(data.items).toEqual([])
    })
  })
