import { join, resolve } from 'node:path'
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import type { Document, Inline, Layout, Picture, PictureNode } from '../../document.ts'
import type { Renderer, Settings } from '../format.ts'
import { withoutSystemFonts } from './fonts.ts'
import { pageSize } from '../sizes.ts'
import { PROGRAM } from './program.ts'

/** A folder that is not there: the compiler reads nothing but what it is handed. */
const WORKSPACE = resolve('/svc-render')

/** Portable documents, set by Typst: text is text, and fonts are those given and those that come with the library. */
export const renderPdf: Renderer = (document, settings, lose) => {
  const compiler = compilerFor(settings.layout)
  try {
    const first = attempt(compiler, document, settings)
    if (typeof first !== 'string') return first
    // One picture that cannot be read would keep all else from being shown.
    const pictures = document.pictures.map((picture) =>
      picture !== undefined && isReadable(compiler, picture) ? picture : undefined,
    )
    const second = attempt(compiler, { ...document, pictures }, settings)
    if (typeof second === 'string') throw new Error(second)
    for (const [number, picture] of pictures.entries())
      if (picture === undefined && document.pictures[number] !== undefined) lose?.(number)
    return second
  } finally {
    compiler.resetShadow()
    // What it has kept of this document is of no use to the next one.
    compiler.evictCache(0)
  }
}

let plain: NodeCompiler | undefined

/** Looking for fonts takes most of making a compiler. */
function compilerFor({ font }: Layout): NodeCompiler {
  if (font === undefined) return (plain ??= create([]))
  return create([font.regular, font.bold, font.italic, font.boldItalic])
}

const create = (fonts: readonly (Uint8Array | undefined)[]): NodeCompiler =>
  withoutSystemFonts(() =>
    NodeCompiler.create({
      workspace: WORKSPACE,
      fontArgs: [
        { fontBlobs: fonts.filter((bytes) => bytes !== undefined).map((bytes) => Buffer.from(bytes)) },
      ],
    }),
  )

/** The bytes, or what is wrong. */
function attempt(compiler: NodeCompiler, document: Document, settings: Settings): Uint8Array | string {
  compiler.resetShadow()
  const paths = new Map<Picture, string>()
  for (const picture of document.pictures) {
    if (picture === undefined || paths.has(picture)) continue
    const path = `/picture-${paths.size}`
    paths.set(picture, path)
    compiler.mapShadow(join(WORKSPACE, path), Buffer.from(picture.bytes))
  }
  const json = JSON.stringify(treeOf(document, settings, paths))
  compiler.mapShadow(join(WORKSPACE, 'document.json'), Buffer.from(json))
  const result = compiler.compile({ mainFileContent: PROGRAM })
  const { result: made } = result
  if (made !== null) return new Uint8Array(compiler.pdf(made))
  const error = result.takeDiagnostics()
  const faults = error === null ? [] : compiler.fetchDiagnostics(error)
  return faults.map(({ message }: { readonly message: string }) => message).join('; ') || 'it cannot be set'
}

function isReadable(compiler: NodeCompiler, { bytes, type }: Picture): boolean {
  compiler.resetShadow()
  compiler.mapShadow(join(WORKSPACE, 'picture'), Buffer.from(bytes))
  const { result } = compiler.compile({ mainFileContent: `#image("/picture", format: "${KINDS.get(type)}")` })
  return result !== null
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['image/svg+xml', 'svg'],
])

/** The families that come with the library: Latin, Greek and Cyrillic, mathematics, and what is left. */
const BUILT_IN = ['Libertinus Serif', 'New Computer Modern', 'DejaVu Sans Mono']

function treeOf(
  document: Document,
  { title, language, isRightToLeft, layout }: Settings,
  paths: ReadonlyMap<Picture, string>,
) {
  const { children, header = null, footer = null, pictures } = document
  const [, lang = 'en', region = null] =
    /^([a-z]{2,3})(?:-[A-Za-z]{4})?(?:-([A-Z]{2})\b)?/.exec(language) ?? []
  const shown = (_key: string, value: unknown): unknown =>
    isPicture(value)
      ? { ...value, ...placeOf(value, pictures, paths) }
      : isText(value)
        ? { ...value, value: value.value.replaceAll('\n', ' ') }
        : value
  return JSON.parse(
    JSON.stringify(
      {
        title,
        lang,
        region,
        isRightToLeft,
        layout: sheetOf(layout),
        logo: layout.logo ? { type: 'picture', alt: '', ...layout.logo } : null,
        header,
        footer,
        children,
      },
      shown,
    ),
  ) as unknown
}

function sheetOf(layout: Layout) {
  const { margins, fontSize, font } = layout
  return { ...pageSize(layout), margins, fontSize, fonts: [...(font ? [font.family] : []), ...BUILT_IN] }
}

const isPicture = (value: unknown): value is PictureNode => isNode(value) && value.type === 'picture'

const isText = (value: unknown): value is Extract<Inline, { type: 'text' }> =>
  isNode(value) && value.type === 'text'

const isNode = (value: unknown): value is { readonly type: unknown } =>
  typeof value === 'object' && value !== null && 'type' in value

function placeOf(
  { number }: PictureNode,
  pictures: Document['pictures'],
  paths: ReadonlyMap<Picture, string>,
) {
  const picture = pictures[number]
  const path = picture && paths.get(picture)
  return { path: path ?? null, format: (picture && KINDS.get(picture.type)) ?? null }
}
