import fc from 'fast-check'
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { describe, expect, it } from 'vitest'
import { size } from '../../../test/kit/size.ts'
import { type Cleaned, cleanSvg } from './clean.ts'
import { isFault } from './fault.ts'
import { leftOutText } from './left-out.ts'
import { HOSTILE } from './hostile.testkit.ts'
import { VECTORS } from './vectors.testkit.ts'

const MAX = 256 * 1024
const RUNS = size('SVG_RUNS', { smoke: 1000, whole: 10_000 })
const SVG = 'http://www.w3.org/2000/svg'
const XLINK = 'http://www.w3.org/1999/xlink'

const clean = (text: string): Cleaned => {
  const made = cleanSvg(text, MAX)
  if (isFault(made)) throw new Error(made.key)
  return made
}
const cleaned = (inner: string, attributes = '') =>
  clean(`<svg xmlns="${SVG}" xmlns:xlink="${XLINK}"${attributes}>${inner}</svg>`).text
const keyOf = (text: string, max = MAX) => {
  const made = cleanSvg(text, max)
  return isFault(made) ? made.key : undefined
}
/** What stands inside of the root once it is clean. */
const within = (inner: string) => cleaned(inner).replace(/^<svg[^>]*>|<\/svg>$/g, '')

/** Everything that the ruling keeps out, looked for in what a parser makes of the text and by none of the tables. */
function biting(text: string): readonly string[] {
  const found: string[] = []
  const parser = new SaxesParser({ xmlns: true })
  const open: SaxesTagNS[] = []
  let sheet = ''
  parser.on('error', (error) => void found.push(error.message))
  for (const kind of ['comment', 'processinginstruction', 'doctype', 'cdata'] as const)
    parser.on(kind, () => void found.push(kind))
  parser.on('text', (one) => {
    if (open.at(-1)?.local === 'style') sheet += one
  })
  parser.on('closetag', () => void open.pop())
  parser.on('opentag', (tag) => {
    open.push(tag)
    if (tag.uri !== SVG || tag.prefix !== '') found.push(`element in ${tag.uri}`)
    if (/^(?:script|iframe|object|embed|foreignobject|handler|listener|metadata)$/i.test(tag.local))
      found.push(tag.local)
    for (const { name, local, uri, value } of Object.values(tag.attributes)) {
      if (name === 'xmlns' || name === 'xmlns:xlink') continue
      if (/^on/i.test(local) || (uri !== '' && !/^xlink:href$|^xml:(?:lang|space)$/.test(name)))
        found.push(name)
      if (local === 'href' && !isHref(tag.local, value)) found.push(`${name}=${value}`)
      if (local === 'attributeName' && /href|^on|^style$/i.test(value)) found.push(`${name}=${value}`)
      if (['href', 'class', 'lang', 'id', 'in', 'result'].includes(local)) continue
      found.push(...outward(value))
      if (local !== 'style' && /javascript:/i.test(value)) found.push(value)
    }
  })
  parser.write(text).close()
  return [...found, ...outward(sheet)]
}

const isHref = (element: string, value: string): boolean =>
  /^#[^#\s]+$/.test(value) ||
  (element === 'image' && /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(value))

const outward = (css: string): readonly string[] =>
  [
    ...css
      .replace(/"[^"\n]*"|'[^'\n]*'/g, (text) => (text.includes('#') ? text : "''"))
      .matchAll(/url\((?!\s*["']?#)[^)]*|@import|@font-face|\\|image-set\(\s*["'u]/gi),
  ].map(([one]) => one)

describe('cleaning svg', () => {
  it.each(VECTORS)('$source: $svg', ({ svg }) => {
    const made = cleanSvg(svg, MAX)
    if (isFault(made)) return
    expect(biting(made.text)).toEqual([])
    expect(made.text.replace(/>[^<]*</g, '><')).not.toMatch(/evil|alert|passwd|expression/)
    expect(clean(made.text)).toEqual({ text: made.text, leftOut: undefined })
  })

  it('is asked of sixty vectors and more', () => {
    expect(VECTORS.length).toBeGreaterThanOrEqual(60)
  })

  it('keeps what draws', () => {
    const picture =
      `<svg xmlns="${SVG}" xmlns:xlink="${XLINK}" viewBox="0 0 24 24" width="24" height="1.5em" version="1.1" xml:space="preserve">\n` +
      '<title>A &lt;bike&gt; &amp; more</title><desc>x</desc>' +
      '<style>.a:not(.b) &gt; g{fill:url(#g);stroke:rgb(1 2 3 / 50%)}@media (prefers-color-scheme: dark){.a{fill:#fff}}</style>' +
      '<defs><linearGradient id="g" x1="0%" gradientTransform="rotate(45 .5,.5)"><stop offset="0" stop-color="#f00"/></linearGradient>' +
      '<filter id="f"><feGaussianBlur in="SourceGraphic" stdDeviation="2" result="b"/><feMerge><feMergeNode in="b"/></feMerge></filter>' +
      '<clipPath id="c"><circle cx="1" cy="2" r="3"/></clipPath></defs>' +
      '<g id="a:b.c-d" class="a md:w-1/2" clip-path="url(#c)" filter="url(\'#f\')" transform="matrix(1,0,0,1,-2e-3,4)" style="mix-blend-mode:multiply">' +
      '<path d="M1 2l3-4.5C1,2 3,4 5,6z" fill="none" stroke="currentColor" stroke-dasharray="1 2"/>' +
      '<a href="#x"><text x="1" dy="1em" font-family="\'Open Sans\', serif">Łódź 😀<tspan>!</tspan></text></a>' +
      '<use xlink:href="#g"/><image href="data:image/png;base64,iVBORw0KGgo="/>' +
      '<animate attributeName="opacity" values="0;1" begin="0s;00:01.5;x.click+1s" dur="1s" repeatCount="indefinite"/>' +
      '<animateTransform attributeName="transform" type="rotate" from="0 1 1" to="360 1 1"/></g></svg>'
    expect(clean(picture)).toEqual({ text: picture, leftOut: undefined })
  })

  it.each([
    ['<!-- a --><?pi x?><g/>', '<g/>'],
    ['<![CDATA[a < b]]>', 'a &lt; b'],
    ['a<!-- x -->b', 'ab'],
    ['<x:y xmlns:x="urn:z">gone</x:y>stays', 'stays'],
    ['<script>gone</script>stays', 'stays'],
    ['<title>a<g/>b</title>', '<title>ab</title>'],
    ['<g a="1" xml:base="x" xml:lang="de" id="i"/>', '<g xml:lang="de" id="i"/>'],
    ['<use href=" #a "/>', '<use href="#a"/>'],
    ['<use href="#a#b"/><use href="#"/><use href=""/>', '<use/><use/><use/>'],
    ['<image href="DATA:image/PNG;base64,AA\nAA"/>', '<image href="data:image/png;base64,AAAA"/>'],
    ['<use href="data:image/png;base64,AAAA"/>', '<use/>'],
    ['<text class="&#9;&#10;&#13;&quot;\'&lt;"/>', `<text class="&#9;&#10;&#13;&quot;'&lt;"/>`],
    ['<style></style><style><![CDATA[]]></style>', '<style/><style/>'],
    ['<style type="text/xsl">a{}</style>', ''],
    ['<rect style="fill:red;x:url(#a) url( \'#b\' )"/>', `<rect style="fill:red;x:url(#a) url( '#b' )"/>`],
    ['<rect style="a:b\\63"/><rect fill="u/**/rl(x)"/>', '<rect/><rect/>'],
    ['<rect style="a:url(#a"/><rect style="a:\'b"/><rect style="/*"/>', '<rect/><rect/><rect/>'],
  ])('makes of %s %s', (inner, expected) => {
    expect(within(inner)).toBe(expected)
  })

  it('writes names without prefixes, and the namespaces that it needs', () => {
    expect(clean(`<a:svg xmlns:a="${SVG}" xmlns:b="${XLINK}"><a:use b:href="#x"/></a:svg>`).text).toBe(
      `<svg xmlns="${SVG}" xmlns:xlink="${XLINK}"><use xlink:href="#x"/></svg>`,
    )
    expect(clean(`<svg><g xmlns="${SVG}"/><g/></svg>`).text).toBe(`<svg xmlns="${SVG}"><g/><g/></svg>`)
    expect(clean(`<svg xmlns="${SVG}"><g xmlns=""/></svg>`).text).toBe(`<svg xmlns="${SVG}"/>`)
  })

  it.each([
    ['', 'empty'],
    [' \n ', 'empty'],
    ['x', 'malformed'],
    ['<svg>', 'malformed'],
    ['<svg></g>', 'malformed'],
    ['<svg>&</svg>', 'malformed'],
    ['<svg>&nbsp;</svg>', 'malformed'],
    ['<svg>&constructor;</svg>', 'malformed'],
    ['<svg a=1/>', 'malformed'],
    ['<svg a="" a=""/>', 'malformed'],
    ['<svg><x:g/></svg>', 'malformed'],
    ['<svg xlink:href="#a"/>', 'malformed'],
    ['<svg toString:a=""/>', 'malformed'],
    ['<svg/><svg/>', 'malformed'],
    ['<svg/>text', 'malformed'],
    [' <?xml version="1.0"?><svg/>', 'malformed'],
    ['<?xml version="1.1"?><svg>&#1;</svg>', 'malformed'],
    ['<svg>\u0001</svg>', 'malformed'],
    ['<svg>&#xFFFF;</svg>', 'malformed'],
    ['<svg>\ud800</svg>', 'malformed'],
    ['<svg>]]></svg>', 'malformed'],
    ['<svg><!-- -- --></svg>', 'malformed'],
    ['<html/>', 'root'],
    ['<SVG/>', 'root'],
    ['<svg xmlns="http://www.w3.org/1999/xhtml"/>', 'root'],
    ['<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', 'doctype'],
    ['<!DOCTYPE svg []><svg/>', 'doctype'],
    ['<g>'.repeat(101), 'depth'],
    [`<svg>${'<g/>'.repeat(50_000)}</svg>`, 'elements'],
    [`<svg ${Array.from({ length: 1001 }, (_, at) => `a${at}=""`).join(' ')}/>`, 'attributes'],
    [`<svg xmlns:a="${'a'.repeat(513)}"/>`, 'namespace'],
  ])('refuses %.40s as %s', (text, key) => {
    expect(keyOf(text)).toBe(key)
  })

  it('takes what is as large as may be, and no more', () => {
    const deep = `<svg>${'<g>'.repeat(99)}${'</g>'.repeat(99)}</svg>`
    expect(keyOf(deep)).toBeUndefined()
    expect(keyOf(`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://x/[.dtd"><svg/>`)).toBeUndefined()
    const text = `<svg xmlns="${SVG}">é<!----></svg>`
    const bytes = Buffer.byteLength(text)
    expect([keyOf(text, bytes), keyOf(text, bytes - 1)]).toEqual([undefined, 'size'])
    // What is made of a text may be longer.
    expect(keyOf('<svg><![CDATA[<<<<<<<<<<]]></svg>', 60)).toBeUndefined()
  })

  it('says where a document is malformed', () => {
    expect(cleanSvg('<svg>\n  <g>\n</svg>', MAX)).toEqual({
      key: 'malformed',
      params: { line: 3, column: 6, reason: 'unexpected close tag' },
    })
  })

  it('counts what it leaves out', () => {
    const svg = `<!DOCTYPE svg><svg onload="a"><!-- a --><?b?><script/><script/><x/><g onclick="" style="a:url(b)"/><style>@import "a"</style></svg>`
    expect(leftOutText(clean(svg).leftOut!)).toBe(
      '3 elements (script, x), 3 attributes (onclick, style, onload), 1 style sheet, 1 comment, 1 processing instruction and 1 DOCTYPE',
    )
  })

  it('cleans twice as once, whatever the tree', () => {
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const made = cleanSvg(text, MAX)
        if (isFault(made)) return
        expect(biting(made.text)).toEqual([])
        // What is made of a text is taken wherever that was.
        for (const most of [MAX, Buffer.byteLength(text)])
          expect(cleanSvg(made.text, most)).toEqual({ text: made.text, leftOut: undefined })
      }),
      { numRuns: RUNS },
    )
  })
})
