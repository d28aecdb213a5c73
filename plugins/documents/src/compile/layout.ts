import type { Locale, LocalText, Model, Path, Site, Speech, Text } from '@svc/domain/contract'
import { type Body, type compileBody, compileLine, type Layout, PLAIN_LAYOUT } from '@svc/render/contract'
import type { WrittenLayout } from '../definition.ts'

/** A text in Markdown, in every locale that it is written in. */
export interface LocalBody {
  readonly written: Text
  readonly bodies: ReadonlyMap<string, Body>
}

/** How the pages of a template look. */
export interface TemplateLayout {
  readonly page: Omit<Layout, 'logo' | 'font'>
  readonly header: Lines
  readonly footer: Lines
  readonly logo: Logo | undefined
  readonly font: string | undefined
}

export interface Lines {
  readonly left?: LocalBody | undefined
  readonly center?: LocalBody | undefined
  readonly right?: LocalBody | undefined
}

export interface Logo {
  readonly source: LocalText
  /** Whether all that it may be filled with is the author's: nothing of a record, a request or a reader. */
  readonly isAuthors: boolean
  readonly width: number
  readonly position: 'left' | 'center' | 'right'
}

const LOGO_MM = 40

/** Compiles a body, or a line of one; undefined where it was reported as wrong. */
export function compileMarkdown(
  written: Text,
  path: Path,
  site: Site,
  speech: Speech,
  read: typeof compileBody | typeof compileLine,
): LocalBody | undefined {
  const sources =
    typeof written === 'string'
      ? [[written, path] as const]
      : Object.entries(written).map(([locale, source]) => [source, [...path, locale]] as const)
  if (sources.length === 0) site.problem(path, 'says nothing in any locale')
  const bodies = new Map<string, Body>()
  for (const [source, at] of sources) {
    const body = site.compiled(source, at, speech, read)
    if (body) bodies.set(source, body)
  }
  return sources.every(([source]) => bodies.has(source)) ? { written, bodies } : undefined
}

/** All bodies of a layout. */
export const linesIn = ({ header, footer }: TemplateLayout): readonly LocalBody[] =>
  [header, footer].flatMap(({ left, center, right }) => [left ?? [], center ?? [], right ?? []].flat())

/** Compiles the key `layout`; what is wrong is reported. */
export function compileLayout(
  written: WrittenLayout = {},
  path: Path,
  site: Site,
  speech: Speech,
): TemplateLayout {
  const { pageSize, orientation, margins = {}, fontSize, font } = written
  const plain = PLAIN_LAYOUT
  const sides =
    typeof margins === 'number' ? { top: margins, right: margins, bottom: margins, left: margins } : margins
  if (font !== undefined) checkFont(font, [...path, 'font'], site)
  return {
    page: {
      pageSize: pageSize ?? plain.pageSize,
      orientation: orientation ?? plain.orientation,
      margins: {
        top: sides.top ?? plain.margins.top,
        right: sides.right ?? plain.margins.right,
        bottom: sides.bottom ?? plain.margins.bottom,
        left: sides.left ?? plain.margins.left,
      },
      fontSize: fontSize ?? plain.fontSize,
    },
    header: linesOf(written.header, [...path, 'header'], site, speech),
    footer: linesOf(written.footer, [...path, 'footer'], site, speech),
    logo: logoOf(written.logo, [...path, 'logo'], site, speech),
    font,
  }
}

function checkFont(font: string, path: Path, { model, problem }: Site): void {
  if (!model.fonts.has(font)) problem(path, `there is no family '${font}' under 'fonts'`)
}

const SIDES = ['left', 'center', 'right'] as const

function linesOf(written: WrittenLayout['header'], path: Path, site: Site, speech: Speech): Lines {
  if (written === undefined) return {}
  const line = (text: Text | undefined, at: Path) =>
    text === undefined ? undefined : compileMarkdown(text, at, site, speech, compileLine)
  const isSided = typeof written !== 'string' && SIDES.some((side) => Object.hasOwn(written, side))
  if (!isSided) return { left: line(written as Text, path) }
  const sides = written as Partial<Record<(typeof SIDES)[number], Text>>
  return {
    left: line(sides.left, [...path, 'left']),
    center: line(sides.center, [...path, 'center']),
    right: line(sides.right, [...path, 'right']),
  }
}

function logoOf(written: WrittenLayout['logo'], path: Path, site: Site, speech: Speech): Logo | undefined {
  if (written === undefined) return undefined
  const isText = typeof written === 'string'
  const { source, width = LOGO_MM, position = 'left' } = isText ? { source: written } : written
  const at = isText ? path : [...path, 'source']
  if (!source.includes('{')) site.icon(isUuid(source) ? undefined : source, at)
  const text = site.text(source, at, speech)
  const isAuthors = text?.expressions.every((one) => OF_CONFIG.test(one.source)) ?? false
  return text && { source: text, isAuthors, width, position }
}

/** What the domain's `config` says. */
const OF_CONFIG = /^\s*config(?:\.\w+)+\s*$/

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** The body of a locale. */
export function bodyIn({ written, bodies }: LocalBody, { localizer }: Model, locale: Locale): Body {
  const body = bodies.get(localizer.text(written, locale) ?? '') ?? [...bodies.values()][0]
  if (body === undefined) throw new Error('a body without a text in any locale')
  return body
}

/** The locale of a document for a reader: that in which its body is written, where it is written in several. */
export function localeOf({ written }: LocalBody, { localizer }: Model, locale: Locale): Locale {
  if (typeof written === 'string') return locale
  const chosen = localizer.text(written, locale)
  const tags = Object.keys(written).filter((tag) => written[tag] === chosen)
  const [first = locale.localeResolved] = tags
  return { ...locale, localeResolved: tags.includes(locale.localeResolved) ? locale.localeResolved : first }
}
