import fc from 'fast-check'
import markdownIt from 'markdown-it'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import { size } from '../../../../test/kit/size.ts'
import { linesOf, withoutForbidden } from '../characters.ts'
import { filled, SETTINGS } from '../render.testkit.ts'
import { renderHtml } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { settle } from './settle.ts'

// Whatever a value holds: a reader of the file finds its characters where the template puts them, and nothing else. Each place
// is filled with a word and with the value: what two readers make of both differs by that alone.

const PLACES = [
  '{v}',
  '{v} begins, and so ends {v}',
  'a{v}b',
  '1{v} and {v}1',
  '!{v}[x](https://example.org)',
  '*{v}* a**{v}**b ~~{v}~~',
  '*a{v}* **{v}a**{v}',
  '{#each [1, 2]}*{v}*{/each}{#each [1, 2]}{v}{/each}',
  '# {v}',
  '###### a {v}',
  '- {v}\n- a {v}',
  '1. {v}\n   - [ ] {v}\n   - [x] {v}\n\n     {v}',
  '> {v}\n>\n> > {v}',
  '| a {v} | {v} |\n| --- | :-: |\n{#each [1, 2]}\n| {v} | **{v}** |\n{/each}\n',
  '    {v}',
  '```txt\n{v}\n{v} a\n```',
  'a `{v}` `a{v}b`',
  '[{v}](https://example.org/ "{v}")',
  '![{v}](media:none) ![a {v}](icon:none:a)',
  'a\n{v}\nb  \n{v}',
  '{v}\n\n{v}\n\n- {v}\n\n{v}',
]

const WORD = 'QQQ'

const MARKS = [
  ...'\\`*_{}[]()<>#+-.!|~&;:=^$%@"\'/?,\t\n\r \u00a0\u2028\ufeff\u200b\u202e\u0085\u0000\u0007\u001b\u007f\u009f\ufffe\ud800\udc00',
]
const PHRASES = [
  '\r\n',
  '\n\n',
  '\n- ',
  '\n1. ',
  '\n# ',
  '\n> ',
  '\n    ',
  '\n---\n',
  '\n===',
  '```\n',
  '~~~',
  '](',
  '![',
  '[x]: y',
  '[ ] ',
  '<script>',
  '</code></pre>',
  '<!--',
  '-->',
  ']]>',
  '<?x',
  '<!DOCTYPE',
  '&amp;',
  '&#0;',
  '&lt',
  '&#x41;',
  'http://a.b',
  'www.a.b',
  'a@b.c',
  'javascript:',
  '{v}',
  '{{',
  '{#if x}',
  '{/each}',
  '| --- |',
  '||',
  '\\\\',
  '\\|',
  '  \n',
  '1)',
  '$x$',
  'Łódź',
  '€',
  '😀',
  'a',
  'b c',
  '7',
  WORD.toLowerCase(),
]
const values = fc
  .array(
    fc.oneof(
      fc.constantFrom(...MARKS),
      fc.constantFrom(...PHRASES),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''))
  .filter((value) => !shownOf(value).includes(WORD) && /[^\s]/u.test(withoutForbidden(value)))

/** The characters of a value that a file has, with one sign for each end of a line. */
const shownOf = (value: string): string => linesOf(withoutForbidden(value)).join('\n')

async function made(place: string, value: string) {
  const document = settle((await filled(place, { v: value })).document)
  const html = Buffer.from(await renderHtml(document, SETTINGS)).toString()
  const markdown = Buffer.from(await renderMarkdown(document, SETTINGS)).toString()
  return {
    html: read(html),
    markdown: read(reader.render(markdown)),
    source: markdown,
  }
}

const reader = markdownIt({ html: true, linkify: false })

type Node = DefaultTreeAdapterMap['node']

/** What is in a page, as a text. */
const read = (page: string): string => {
  const html = parse(page).childNodes.find(({ nodeName }) => nodeName === 'html')!
  return written(html)
}

function written(node: Node): string {
  if ('value' in node) return node.value.replaceAll('<', LESS)
  if (!('childNodes' in node)) return `<!${node.nodeName}>`
  if (node.nodeName === 'br') return '\n'
  const { nodeName: name } = node
  const attributes =
    'attrs' in node ? node.attrs.map((one) => ` ${one.name}=${one.value.replaceAll('<', LESS)}`).join('') : ''
  return `<${name}${attributes}>${node.childNodes.map(written).join('')}</${name}>`
}

/** Stands for what begins no tag. */
const LESS = '\u0001'

/** As a browser shows it: blanks run together and vanish at the edges of blocks; beside or in what is marked is all the same. */
function shown(page: string): string {
  return page
    .split(/(<pre>.*?<\/pre>)/s)
    .map((part, at) => (at % 2 === 1 ? part : flowing(part)))
    .join('')
}

const flowing = (part: string): string => {
  let [before, after] = ['', part]
  while (before !== after) {
    before = after
    after = after
      .replaceAll(/((?:<(?:em|strong|s|del)>)+)([\p{Zs}\t\n]+)/gu, '$2$1')
      .replaceAll(/([\p{Zs}\t\n]+)((?:<\/(?:em|strong|s|del)>)+)/gu, '$2$1')
  }
  return after
    .replaceAll(/[ \t\n]+/g, ' ')
    .replaceAll(/ ?(<\/?(?:p|h\d|[uo]l|li|t[hdr]|thead|tbody|table|blockquote|body|main)\b[^>]*>) ?/g, '$1')
}

const filledIn = (expected: string, value: string): string =>
  expected.replaceAll(WORD, () => value.replaceAll('<', LESS))

const RUNS = size('RENDER_RUNS', { smoke: 40, whole: 10_000 })

describe('C6.11: values stay values', () => {
  it.each(['𐀀_😀\\', '😀_a_😀', 'a__😀__b', '𐀀_𐀀', '\\_😀'])(
    'an underscore beside a rare character marks nothing: %j',
    async (value) => {
      for (const place of ['{v} and {v}', '*{v}{v}* {v}', '| {v} | **{v}** |\n| --- | --- |\n'])
        expect(shown((await made(place, value)).markdown), place).toBe(
          shown(filledIn((await made(place, WORD)).markdown, value)),
        )
    },
  )

  it.each(PLACES)('%j', async (place) => {
    const plain = await made(place, WORD)
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const { html, markdown, source } = await made(place, value)
        const characters = shownOf(value)
        expect(shown(html)).toBe(shown(filledIn(plain.html, characters)))
        expect(shown(markdown), source).toBe(shown(filledIn(plain.markdown, characters)))
      }),
      { numRuns: RUNS },
    )
  })
})
