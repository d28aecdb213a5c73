import { describe, expect, it } from 'vitest'
import { filled, SETTINGS } from '../render.testkit.ts'
import { renderHtml } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { settle } from './settle.ts'

const DATA = {
  md: '# a\n\nb <script>x</script> <b>c</b> [d](javascript:e) [f](https://g.example) ![h](https://i.example/j.png)\n\n- [x] k',
  svg: '<svg xmlns="http://www.w3.org/2000/svg"/>',
  rows: [{ a: 1 }],
}

const made = async (body: string, render = renderHtml): Promise<string> => {
  const { document } = await filled(body, DATA, {
    header: '*Head* {page} of {pages}',
    footer: 'Foot',
    resolve: async (reference) =>
      reference.from === 'value'
        ? { bytes: Buffer.from(reference.value), type: 'image/svg+xml', width: null, height: null }
        : undefined,
  })
  return Buffer.from(await render(settle(document), SETTINGS)).toString()
}

const mainOf = (page: string): string => /<main>(.*)<\/main>/s.exec(page)?.[1] ?? ''

describe('C6.11: html', () => {
  it('is one whole document without scripts and references to elsewhere', async () => {
    const page = await made('# Title\n\n{svg | image: 25.4} {md | markdown}\n{pageBreak}\nb')
    expect(page).toMatch(
      /^<!doctype html><html lang="en"><head><meta charset="utf-8">.*<title>A document<\/title>.*<\/html>\n$/s,
    )
    expect(page).not.toMatch(/<script|<link|<iframe|javascript:|\bsrc="(?!data:)|\bon\w+=|url\(|@import/)
    expect(page).toContain(
      `<img src="data:image/svg+xml;base64,${Buffer.from(DATA.svg).toString('base64')}" alt="" width="96">`,
    )
    expect(page).toContain('<div class="page-break"></div>')
  })

  it('C6.12: shows header and footer once, without numbers of pages', async () => {
    const page = await made('a')
    expect(page).toContain('<header><span><em>Head</em>  of </span><span></span><span></span></header>')
    expect(page.match(/Foot/g)).toHaveLength(1)
  })

  it('C6.8: a value that is Markdown is cleaned like a body: blocks where it stands alone, words in a line', async () => {
    expect(mainOf(await made('{md | markdown}')).replaceAll('\n', '')).toBe(
      '<h1>a</h1><p>b x c d <a href="https://g.example">f</a> h</p><ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" checked disabled> k</li></ul>',
    )
    expect(mainOf(await made('# x {md | markdown}'))).toContain('<h1>x a<br>')
    expect(mainOf(await made('| h |\n| --- |\n{#each rows}\n| {md | markdown} |\n{/each}'))).toContain(
      '<td>a<br>',
    )
  })

  it('has nothing but its body as markdown', async () => {
    expect(
      await made(
        '# a\n{pageBreak}\nb{svg | image}\\\nc\n\n| d |\n| --- |\n{#each rows}\n| {a} |\n{/each}',
        renderMarkdown,
      ),
    ).toBe('# a\n\nb\\\nc\n\n| d |\n| - |\n| 1 |\n')
  })
})
