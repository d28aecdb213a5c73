import { labelledFormats, type Locale } from '@svc/domain/contract'
import { type Formats, formatsOf } from '@svc/expression/contract'
import type { Media } from '@svc/media/contract'
import {
  composeDocument,
  documentName,
  FORMAT_FACTS,
  type LineParts,
  type Render,
} from '@svc/render/contract'
import type { Value } from '@svc/store/contract'
import { bodyIn, type Lines } from '../compile/layout.ts'
import { gather, type Request } from './gather.ts'
import { fontOf, logoReference, picturesOf } from './pictures.ts'

/** A file that was made of a template. */
export interface MadeFile {
  readonly filename: string
  readonly bytes: Uint8Array
  /** What it was filled with, by name. */
  readonly names: Readonly<Record<string, Value>>
  /** What is shown otherwise than it was asked for. */
  readonly warnings: readonly string[]
}

/** Makes the file of a template. Throws FORBIDDEN, RENDER_FAILED and UNAVAILABLE. */
export async function makeFile(
  request: Request,
  locale: Locale,
  { media, render }: { readonly media: Media; readonly render: Render },
): Promise<MadeFile> {
  const { template, as, data } = request
  const { model } = data
  const { layout, format } = template
  const context = await gather(request)
  const formats = formatsFor(request, locale)
  const line = (lines: Lines): LineParts | undefined =>
    Object.keys(lines).length === 0
      ? undefined
      : {
          left: lines.left && bodyIn(lines.left, model, locale),
          center: lines.center && bodyIn(lines.center, model, locale),
          right: lines.right && bodyIn(lines.right, model, locale),
        }
  const parts = {
    body: bodyIn(template.body, model, locale),
    header: line(layout.header),
    footer: line(layout.footer),
    logo: layout.logo && logoReference(layout.logo.source.fill(context, locale), layout.logo),
  }
  const composed = await composeDocument(
    parts,
    context,
    { formats },
    FORMAT_FACTS[format],
    picturesOf(model, media, as),
  )
  const font = layout.font === undefined ? undefined : await fontOf(layout.font, model, media)
  const filename = documentName(template.filename.fill(context, locale), format)
  const { document, logo: number } = composed
  const unread: number[] = []
  const settings = {
    title: model.localizer.text(template.definition.label, locale) ?? template.name,
    language: formats.locale,
    isRightToLeft: RIGHT_TO_LEFT.test(formats.locale),
    layout: {
      ...layout.page,
      ...(font && { font }),
      ...(layout.logo &&
        number !== undefined && {
          logo: { number, width: layout.logo.width, position: layout.logo.position },
        }),
    },
  }
  const bytes = await render.render(document, format, settings, (one) => void unread.push(one))
  const lost = layout.font !== undefined && font === undefined
  return {
    filename,
    bytes,
    names: context.names ?? {},
    warnings: [
      ...composed.warnings,
      ...composed.unread(unread),
      ...(lost ? [`the font '${layout.font}' cannot be read: the built-in one is used`] : []),
    ],
  }
}

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(?:ar|fa|he|ur|ps|sd|ug|yi|dv|ckb)\b/i

/** How values are written: as everywhere in the domain, in the template's own zone where it names one. */
function formatsFor({ template, data: { model } }: Request, locale: Locale): Formats {
  const usual = labelledFormats(model, locale, template.data.resource)
  const { timezone } = template
  return timezone === undefined
    ? usual
    : { ...usual, timezone: formatsOf({ locale: usual.locale, timezone }).timezone }
}
