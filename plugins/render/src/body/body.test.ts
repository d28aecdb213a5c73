import { ExpressionError } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import { describe, expect, it } from 'vitest'
import type { DocumentNode } from '../document.ts'
import { filled, vocabularyOf } from '../render.testkit.ts'
import { compileBody, compileLine } from './compile.ts'

const DATA: Readonly<Record<string, Value>> = {
  title: 'Bell',
  paid: true,
  none: null,
  photo: 'p1',
  photos: ['p1', 'p2'],
  url: 'https://example.org/a b?c=<d>',
  evil: 'javascript:alert(1)',
  text: '*a*\n# b',
  words: 'a **b** <i>c</i> [d](javascript:e) ![f](media:g)\n\n- h',
  lines: [
    { sku: 'A', price: 1, on: true },
    { sku: 'B', price: 2.5, on: false },
  ],
  groups: [
    { name: 'x', items: ['a', 'b'] },
    { name: 'y', items: [] },
  ],
}

/** Where what is wrong stands, by line and character, each counted from 1, and what that is. */
function faultsOf(body: string, compile = compileBody): readonly string[] {
  try {
    compile(body, vocabularyOf(DATA))
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return error.faults.map(({ offset, message }) => `${placeIn(body, offset)} ${message}`)
  }
  return []
}

const warningsOf = (body: string): readonly string[] =>
  compileBody(body, vocabularyOf(DATA)).warnings.map(
    ({ offset, message }) => `${placeIn(body, offset)} ${message}`,
  )

const placeIn = (text: string, offset: number): string => {
  const lines = text.slice(0, offset).split('\n')
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}

/** A tree as a text: `p(...)`, with what is marked by its first letter. */
const shown = (node: DocumentNode): string => {
  if (node.type === 'tableCell') return node.children.map(shown).join('')
  if ('children' in node) {
    const inside = (node.children as readonly DocumentNode[])
      .map(shown)
      .join(node.type === 'tableRow' ? '|' : '')
    return `${NAMES[node.type] ?? node.type}(${inside})`
  }
  if (node.type === 'picture') return `[picture ${node.number} ${node.alt} ${node.width}]`
  return 'value' in node
    ? node.type === 'text'
      ? node.value
      : `${node.type}(${node.value})`
    : `<${node.type}>`
}

const NAMES: Readonly<Record<string, string>> = {
  paragraph: 'p',
  heading: 'h',
  listItem: 'li',
  tableRow: 'tr',
  blockquote: 'q',
  emphasis: 'em',
}

const made = async (body: string): Promise<string> => {
  const { document } = await filled(body, DATA, {
    resolve: async () => ({ bytes: new Uint8Array(1), type: 'image/png', width: 1, height: 1 }),
  })
  return document.children.map(shown).join('')
}

const STRAY =
  'a block closes where it opened: around whole paragraphs, list items or table rows, or within one line'

describe('C6.1: what is wrong with a body is found with its line and character', () => {
  it.each([
    ['# Hi {nobody}', ["1:7 'nobody' is not known here"]],
    ['a\n\n| b {titel} |\n| --- |', [expect.stringMatching(/^3:6 .*titel/)]],
    ['a\n{title | uper}', [expect.stringMatching(/^2:10 there is no pipe 'uper'/)]],
    ['{title | truncate}', [expect.stringMatching(/^1:10 .*takes 1 argument, not 0/)]],
    ['{title | image: 0}', [expect.stringMatching(/^1:17 .*1 to 1000 mm/)]],
    ["{title | image: 'x'}", [expect.stringMatching(/^1:17 /)]],
    ['{upp(title)}', [expect.stringMatching(/^1:2 .*upp/)]],
    ['a\n\n{#each lines}\nb', ['3:1 this block is left open']],
    ['a {/if}', ['1:3 this belongs to no open block']],
    ['{title', ['1:1 a brace is left open']],
    ['{#eahc lines}x{/each}', [expect.stringMatching(/^1:1 .*means nothing/), expect.anything()]],
  ])('%j', (body, faults) => expect(faultsOf(body)).toEqual(faults))
})

describe('C6.9: blocks nest, and close where they opened', () => {
  it.each([
    ['a {#if paid}\n\nb{/if}', [`1:3 ${STRAY}`]],
    ['{#if paid}a\n\nb{/if}', [`1:1 ${STRAY}`]],
    ['a {#if paid}b\nc{/if}', [`1:3 ${STRAY}`]],
    ['*a {#if paid}b* c{/if}', [`1:4 ${STRAY}`]],
    ['| a |\n| --- |\n| {#if paid}b |\n| c{/if} |', [`3:3 ${STRAY}`]],
    ['{#each lines}\n- a\n  {/each} b', [`1:1 ${STRAY}`]],
    ['```\n{#each lines}\n{sku}\n{/each}\n```', [`2:1 ${STRAY}`]],
    ['> a\n{#if paid}\n> b {/if}', [expect.stringMatching(/^[23]:\d+ /)]],
    ['<b>{#if paid}</b>\n\na{/if}', [expect.stringContaining(STRAY)]],
    ['<div>{#if paid}\n\na{/if}', [expect.stringContaining(STRAY)]],
    ['a {pageBreak} b', ['1:3 this stands on a line of its own']],
    ['- a\n\n  {pageBreak}\n\n  b', ['3:3 this stands on a line of its own']],
    ['[a]: https://example.org/{title}\n\n[a]', [expect.stringMatching(/^1:26 nothing is filled in here/)]],
    [`${'{#if paid}\n'.repeat(11)}a\n${'{/if}\n'.repeat(11)}`, ['11:1 blocks stand 10 deep at most']],
    [`${'>'.repeat(300)} a`, [expect.stringContaining('deep at most')]],
  ])('%j is refused', (body, faults) => expect(faultsOf(body)).toEqual(faults))

  it.each([
    ['{#if paid}\nDear **you**,\n{:else}\nSirs,\n{/if}', 'p(Dear strong(you),)'],
    ["{#if not paid}\na\n{:else if title == 'Bell'}\nb\n{:else}\nc\n{/if}", 'p(b)'],
    ['{#each lines as l}\n{l.sku} {loop.index}/{loop.count}\n{/each}', 'p(A 1/2)p(B 2/2)'],
    ['{#each none}\na\n{:else}\nnothing\n{/each}\nb', 'p(nothing)p(b)'],
    ['{#each lines}\n\n# {sku}\n\na\n\n{/each}', 'h(A)p(a)h(B)p(a)'],
    ['a {#each lines}{sku}{#if not loop.last}, {/if}{/each} b', 'p(a A, B b)'],
    ['*a {#if paid}b{/if}*', 'p(em(a b))'],
    ['- a\n{#each lines}\n- {sku}\n{/each}\n- b', 'list(li(p(a))li(p(A))li(p(B))li(p(b)))'],
    ['{#each lines}\n- {sku}\n{/each}\nbehind', 'list(li(p(A))li(p(B)))p(behind)'],
    [
      '{#each groups as g}\n- {g.name}\n  {#each g.items as i}\n  - {i}\n  {/each}\n{/each}',
      'list(li(p(x)list(li(p(a))li(p(b))))li(p(y)))',
    ],
    [
      '{#each groups as g}\n- {g.name}\n{#each g.items as i}\n  1. {i}\n{:else}\n  none\n{/each}\n{/each}',
      'list(li(p(x)list(li(p(a))li(p(b))))li(p(y)p(none)))',
    ],
    [
      '| a | b |\n| --- | --- |\n{#each lines}\n| {sku} | {price} |\n{:else}\n| none | |\n{/each}\n| end | {title} |',
      'table(tr(a|b)tr(A|1)tr(B|2.5)tr(end|Bell))',
    ],
    ['| a |\n| --- |\n{#each lines}\n{#if on}\n| {sku} |\n{/if}\n{/each}\n\nb', 'table(tr(a)tr(A))p(b)'],
    ['| a |\n| --- |\n{#each lines}\n| {sku} |\n{/each}\nb', 'table(tr(a)tr(A)tr(B))p(b)'],
    ['{#each lines}\n| {sku} |\n| --- |\n| b |\n{/each}', 'table(tr(A)tr(b))table(tr(B)tr(b))'],
    ['> {#if paid}\n> a\n> {/if}\n>\n> b', 'q(p(a)p(b))'],
    ['{#if paid}\n> a\n{/if}', 'q(p(a))'],
    ['{#if none}\n- a\n{/if}\n\nb', 'p(b)'],
    ['a\r\n{#if paid}\r\nb\r\n{/if}\r\nc', 'p(a)p(b)p(c)'],
    ['`{#if paid}a{/if} {title}`', 'p(inlineCode(a Bell))'],
    ['    {title}\n    {#if paid}b{/if}', 'code(Bell\nb)'],
    ['[{title}](https://example.org/{#if paid}a{/if})', 'p(link(Bell))'],
  ])('%j is %j', async (body, tree) => expect(await made(body)).toBe(tree))

  it('lists with tags between their items stay as tight or as loose as they are written', async () => {
    const spread = async (body: string) =>
      (await filled(body, DATA)).document.children.map((node) => node.type === 'list' && node.spread)
    expect(await spread('- a\n{#each lines}\n- {sku}\n{/each}')).toEqual([false])
    expect(await spread('- a\n\n{#each lines}\n- {sku}\n{/each}')).toEqual([true])
  })
})

describe('C6.7, C6.8: values', () => {
  it.each([
    ['{text}', 'p(*a*<break># b)'],
    ['# a {text}', 'h(a *a*<break># b)'],
    ['a\n\n{none}\n\n**{none}** b', 'p(a)p( b)'],
    ['{{title}} \\{title} {title}', 'p({title} {title} Bell)'],
    ['{(1234.5) | decimal} {title | upper}', 'p(1,234.50 BELL)'],
    ['{words | markdown}', `p(markdown(${DATA['words']}))`],
    ['{photo | image} {photos | image: 12}', 'p([picture 0  40] [picture 1  12][picture 2  12])'],
    ['{none | image}', ''],
  ])('%j is %j', async (body, tree) => expect(await made(body)).toBe(tree))
})

describe('C6.10: Markdown', () => {
  it('leaves raw HTML out with a warning', async () => {
    expect(warningsOf('a\n\n<script>alert(1)</script>\n\nb <b>c</b>')).toEqual([
      '3:1 raw HTML is left out',
      '5:3 raw HTML is left out',
      '5:7 raw HTML is left out',
    ])
    expect(await made('a\n\n<script>alert(1)</script>\n\nb <b>c</b>')).toBe('p(a)p(b c)')
  })

  it('is CommonMark with tables, strikethrough and task lists, and nothing else', async () => {
    expect(await made('- [x] ~~a~~ www.example.org [^1]')).toBe('list(li(p(delete(a) www.example.org [^1])))')
  })

  it('begins a page by {pageBreak}', async () => {
    expect(await made('a\n{pageBreak}\nb\n\n{#each lines}\n{pageBreak}\n{/each}')).toBe(
      'p(a)<pageBreak>p(b)<pageBreak><pageBreak>',
    )
  })

  it.each([
    'a\n\n![b](https://example.org/c.png)',
    'a\n\n![b]({photo})',
    'a\n\n![b](media:)',
    'a\n\n![b](icon:c)',
    'a\n\n![b][c]\n\n[c]: data:image/png;base64,xxxx',
  ])('refuses the picture in %j', (body) =>
    expect(faultsOf(body)).toEqual(['3:1 a picture is media:<id> or icon:<set>:<name>: nothing is fetched']),
  )

  it('shows pictures of the library and of icons', async () => {
    const asked: unknown[] = []
    const { document, warnings } = await filled(
      '![a](media:m1) ![b](icon:set:name) ![c](media:{photo}) ![d {title}](media:gone) ![e](media:webp)',
      DATA,
      {
        format: 'docx',
        async resolve(reference) {
          asked.push(reference)
          if (reference.from === 'media' && reference.id === 'gone') return undefined
          const type = reference.from === 'media' && reference.id === 'webp' ? 'image/webp' : 'image/png'
          return { bytes: new Uint8Array(1), type, width: 1, height: 1 }
        },
      },
    )
    expect(asked).toEqual([
      { from: 'media', id: 'm1' },
      { from: 'icon', set: 'set', name: 'name' },
      { from: 'media', id: 'p1' },
      { from: 'media', id: 'gone' },
      { from: 'media', id: 'webp' },
    ])
    expect(document.children.map(shown).join('')).toContain('[picture 3 d Bell null]')
    expect(document.pictures.map((picture) => picture?.type)).toEqual([
      'image/png',
      'image/png',
      'image/png',
      undefined,
      undefined,
    ])
    expect(warnings).toEqual([
      'the picture media:gone is not there: its text is shown',
      'the picture media:webp is image/webp, which has no place here: its text is shown',
    ])
  })

  it('links to http, https, mailto and tel; another link is its text', async () => {
    const body =
      '[a](https://example.org/ä) [b](mailto:x@y.z) [c](tel:+1) [d](javascript:e) [f](/g) [h]({url}) [i]({evil}) [j](JaVaScRiPt:k) <ftp://l>'
    const { document } = await filled(body, DATA)
    const [paragraph] = document.children
    const links =
      paragraph?.type === 'paragraph'
        ? paragraph.children.flatMap((node) => (node.type === 'link' ? [node.url] : []))
        : []
    expect(links).toEqual([
      'https://example.org/%C3%A4',
      'mailto:x@y.z',
      'tel:+1',
      'https://example.org/a%20b?c=%3Cd%3E',
    ])
    expect(await made(body)).toBe('p(link(a) link(b) link(c) d f link(h) i j ftp://l)')
    expect(warningsOf(body)).toHaveLength(4)
  })
})

describe('C6.12: lines at the top and the foot', () => {
  it('are one line, in which pages are numbered', () => {
    expect(faultsOf('*{title}* {page} of {pages}', compileLine)).toEqual([])
    expect(faultsOf('', compileLine)).toEqual([])
    for (const line of ['# a', 'a\n\nb', '- a', '| a |\n| --- |'])
      expect(faultsOf(line, compileLine)).toEqual(['1:1 this is one line of text'])
    expect(faultsOf('{page}')).toEqual([expect.stringContaining("'page'")])
  })
})

describe('C6.14: limits', () => {
  const many = Array.from({ length: 50_001 }, (_, at) => at)

  it('are named where they are passed', async () => {
    await expect(filled('{#each many}a{/each}', { many })).rejects.toMatchObject({
      code: 'RENDER_FAILED',
      status: 422,
      message: expect.stringContaining('50000 passes'),
    })
    await expect(filled('{#each many}\n- a\n{/each}', { many })).rejects.toMatchObject({
      message: expect.stringContaining('50000 passes'),
    })
    await expect(
      filled('{#each many}{long}{/each}', {
        many: many.slice(0, 60),
        long: 'x'.repeat(100_000),
      }),
    ).rejects.toMatchObject({ code: 'RENDER_FAILED', message: expect.stringContaining('5 MiB') })
    await expect(
      filled('{#each many}![a](media:b){/each}', { many: many.slice(0, 51) }),
    ).rejects.toMatchObject({
      code: 'RENDER_FAILED',
      message: expect.stringContaining('50 pictures'),
    })
    await expect(filled('{#each many}a{/each}', { many: many.slice(1) })).resolves.toBeDefined()
  })

  it('what a loop puts together takes time in proportion', async () => {
    const marked = await filled('{#each many as n}**{n} `a` b**{/each}', { many: many.slice(1) })
    const [paragraph] = marked.document.children
    expect(paragraph?.type === 'paragraph' && paragraph.children).toHaveLength(1)
    const lists = await filled('{#each many as n}\n- {n}\n{:else}\nnone\n{/each}', { many: many.slice(1) })
    expect(lists.document.children.map((node) => node.type === 'list' && node.children.length)).toEqual([
      50_000,
    ])
  })

  it('a table of many rows is not parsed again, and others have their turns meanwhile', async () => {
    let turns = 0
    const turning = setInterval(() => (turns += 1), 1)
    const { document } = await filled(
      '| a | b |\n| --- | --- |\n{#each many as n}\n| {n} | {n * 2} |\n{/each}',
      { many: many.slice(0, 20_000) },
    )
    clearInterval(turning)
    const [table] = document.children
    expect(table?.type === 'table' && table.children.length).toBe(20_001)
    expect(turns).toBeGreaterThan(0)
  })
})
