import { defaultSchema, sanitize, type Schema } from 'hast-util-sanitize'
import { toHtml } from 'hast-util-to-html'
import { type Handler, type State, toHast } from 'mdast-util-to-hast'
import type { Align, Block, Document, Line, PictureNode } from '../document.ts'
import { pictureOf, type Renderer } from './format.ts'
import type { HtmlContent, HtmlElement, HtmlNode, HtmlRoot, MarkdownNode } from '../trees.ts'

/** One whole document: nothing in it runs, and nothing is loaded from elsewhere. */
export const renderHtml: Renderer = (document, { title, language, isRightToLeft }) => {
  const body = [
    ...lineOf('header', document.header, document),
    element('main', {}, contentOf(document.children, document)),
    ...lineOf('footer', document.footer, document),
  ]
  const head = element('head', {}, [
    element('meta', { charSet: 'utf-8' }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('title', {}, [{ type: 'text', value: title }]),
    element('style', {}, [{ type: 'text', value: STYLE }]),
  ])
  const html = element('html', { lang: language, ...(isRightToLeft && { dir: 'rtl' }) }, [
    head,
    element('body', {}, body),
  ])
  const root: HtmlRoot = { type: 'root', children: [{ type: 'doctype' }, html] }
  return Buffer.from(`${toHtml(root, { allowDangerousCharacters: false })}\n`)
}

const STYLE = `
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; font-family: Georgia, 'Times New Roman', serif; line-height: 1.4 }
table { border-collapse: collapse }
th, td { border: 1px solid #999; padding: 0.2rem 0.5rem; vertical-align: top }
.to-left { text-align: left }
.to-center { text-align: center }
.to-right { text-align: right }
pre, code { font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace }
blockquote { border-left: 3px solid #999; margin-left: 0; padding-left: 1rem }
img { max-width: 100% }
header, footer { display: flex; justify-content: space-between; color: #555 }
.page-break { break-after: page }
`

/** A line once, without numbers of pages. */
function lineOf(tagName: string, line: Line | undefined, document: Document): readonly HtmlElement[] {
  if (line === undefined) return []
  const sides = [line.left, line.center, line.right]
  return [
    element(
      tagName,
      {},
      sides.map((side) =>
        element('span', {}, contentOf([{ type: 'paragraph', children: side }], document).flatMap(insideOf)),
      ),
    ),
  ]
}

/** What stands in a paragraph. */
const insideOf = (node: HtmlContent): HtmlContent[] => ('children' in node ? node.children : [])

function contentOf(nodes: readonly Block[], document: Document): HtmlContent[] {
  const handlers: Record<string, Handler> = {
    picture: (_state, node: PictureNode) => pictureIn(document, node),
    pageBreak: () => element('div', { className: ['page-break'] }),
    table: tableOf,
    page: () => undefined,
    pages: () => undefined,
  }
  // Our nodes are those of mdast, and four more that have handlers.
  const root = { type: 'root', children: nodes } as unknown as MarkdownNode
  const clean = sanitize(toHast(root, { handlers }), ALLOWED)
  return childrenOf(clean)
}

function pictureIn(document: Document, node: PictureNode): HtmlContent {
  const picture = pictureOf(document, node)
  if (picture === undefined) return { type: 'text', value: node.alt }
  const src = `data:${picture.type};base64,${Buffer.from(picture.bytes).toString('base64')}`
  // Millimetres as pixels of CSS, of which an inch has 96.
  const width = node.width === null ? undefined : Math.round((node.width * 96) / 25.4)
  return element('img', { src, alt: node.alt, ...(width !== undefined && { width }) })
}

/** The classes of cells: html has no attribute for it any more. */
const ALIGNED = ['to-left', 'to-center', 'to-right']

/** Whatever has children in a tree of Markdown. */
type Parents = Parameters<State['all']>[0]
type Row = Parents & { readonly children: readonly Parents[] }

/** A table, of which the first row is its head. */
const tableOf: Handler = (
  state,
  { children, align }: { children: readonly Row[]; align: readonly Align[] },
) => {
  const rowOf = (tagName: 'th' | 'td') => (row: Row) =>
    element(
      'tr',
      {},
      state.wrap(
        align.map((to, at) => {
          const cell = row.children[at]
          return element(tagName, to ? { className: [`to-${to}`] } : {}, cell ? state.all(cell) : [])
        }),
        true,
      ),
    )
  const [head, ...rows] = children
  const parts = head ? [element('thead', {}, state.wrap([rowOf('th')(head)], true))] : []
  if (rows.length > 0) parts.push(element('tbody', {}, state.wrap(rows.map(rowOf('td')), true)))
  return element('table', {}, state.wrap(parts, true))
}

/** What may stand in a document, whatever was made of it before. */
const ALLOWED: Schema = {
  ...defaultSchema,
  attributes: {
    a: ['href', 'title'],
    img: ['src', 'alt', 'width'],
    ol: ['start'],
    ul: [['className', 'contains-task-list']],
    li: [['className', 'task-list-item']],
    code: [['className', /^language-./]],
    div: [['className', 'page-break']],
    td: [['className', ...ALIGNED]],
    th: [['className', ...ALIGNED]],
    input: [['type', 'checkbox'], ['disabled', true], 'checked'],
  },
  protocols: { href: ['http', 'https', 'mailto', 'tel'], src: ['data'] },
  required: { input: { type: 'checkbox', disabled: true } },
  strip: ['script', 'style'],
}

const childrenOf = (tree: HtmlNode): HtmlContent[] =>
  'children' in tree ? tree.children.flatMap((one) => (one.type === 'doctype' ? [] : [one])) : []

const element = (
  tagName: string,
  properties: HtmlElement['properties'],
  children: readonly HtmlContent[] = [],
): HtmlElement => ({ type: 'element', tagName, properties, children: [...children] })
