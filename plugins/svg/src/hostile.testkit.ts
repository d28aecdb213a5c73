import fc from 'fast-check'

const SVG = 'http://www.w3.org/2000/svg'
const XLINK = 'http://www.w3.org/1999/xlink'

const names = fc.constantFrom(
  'g',
  'path',
  'style',
  'title',
  'desc',
  'a',
  'use',
  'image',
  'animate',
  'set',
  'text',
  'svg',
  'feImage',
  'script',
  'SCRIPT',
  'foreignObject',
  'iframe',
  'x:g',
  'h:script',
  's:script',
  's:a',
  'handler',
  'mpath',
)
const keys = fc.constantFrom(
  'href',
  'xlink:href',
  'l:href',
  'onload',
  'ONCLICK',
  's:onload',
  'style',
  'fill',
  'filter',
  'id',
  'class',
  'xmlns',
  'attributeName',
  'x:attributeName',
  'to',
  'values',
  'xml:base',
  'xml:space',
  'd',
  'begin',
  'type',
  'xlink:title',
)
const pieces = fc.constantFrom(
  '#a',
  'url(',
  ')',
  '"',
  "'",
  'javascript:',
  'http://evil',
  'data:image/png;base64,',
  'data:text/html,',
  'AAAA',
  ' ',
  '@import',
  '@font-face',
  '@media',
  '\\',
  '/*',
  '*/',
  ';',
  '{',
  '}',
  'href',
  'onload',
  'opacity',
  '\t',
  '\n',
  '\r',
  '<',
  '>',
  '&',
  ']]>',
  '-->',
  'U+',
  'rgb(',
  'image-set(',
  'é',
  '😀',
  '\u2028',
  'text/css',
  'preserve',
  '0:1',
  '%',
)
const values = fc.oneof(
  fc.array(pieces, { maxLength: 5 }).map((some) => some.join('')),
  fc.string({ maxLength: 8 }),
)
const escaped = (text: string) => text.replace(/[&<"\r\n\t]/g, (mark) => `&#${mark.charCodeAt(0)};`)
const texts = fc.oneof(
  values.map(escaped).map((text) => text.replaceAll('>', '&gt;')),
  values.map((text) => `<![CDATA[${text.replaceAll(']]>', '')}]]>`),
  fc.constantFrom('<!-- x -->', '<?x y?>'),
)
const { node } = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    texts,
    fc
      .tuple(
        names,
        fc.uniqueArray(fc.tuple(keys, values), { selector: ([key]) => key, maxLength: 4 }),
        fc.array(tie('node'), { maxLength: 4 }),
      )
      .map(([name, attributes, children]) => {
        const written = attributes.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')
        return `<${name}${written}>${children.join('')}</${name}>`
      }),
  ),
}))
/** Documents of hostile names and values, among them some that are well formed and dull. */
export const HOSTILE: fc.Arbitrary<string> = fc
  .tuple(fc.array(node, { maxLength: 5 }), fc.boolean())
  .map(
    ([nodes, isNamed]) =>
      `<svg ${isNamed ? `xmlns="${SVG}" ` : ''}xmlns:s="${SVG}" xmlns:xlink="${XLINK}" xmlns:l="${XLINK}" xmlns:x="urn:x" xmlns:h="http://www.w3.org/1999/xhtml">${nodes.join('')}</svg>`,
  )
