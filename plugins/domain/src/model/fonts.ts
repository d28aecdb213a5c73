import type { Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Path } from '../definition/problem.ts'
import type { Report } from './report.ts'

const Item = z.uuid().optional()

/** A family of fonts: media items with its faces, and where clients find it. */
const WrittenFont = z.strictObject({
  regular: Item,
  bold: Item,
  italic: Item,
  boldItalic: Item,
  url: z.string().optional(),
})
export type Font = z.output<typeof WrittenFont>

/** The font families of a domain, by name: what has a shape of its own stands there as it is written. */
export type Fonts = ReadonlyMap<string, Font | { readonly asWritten: Value }>

const SHAPE = 'Write a map of regular, bold, italic and boldItalic (ids of media items) and url'

/** Compiles what stands under `fonts`. What has another shape is published as it is written, with a warning. */
export function buildFonts(written: unknown, report: Report): Fonts {
  if (written === undefined || written === null) return new Map()
  const at = ['domain', 'fonts']
  const families = z.record(z.string(), z.json()).safeParse(written)
  if (!families.success) {
    report.warning(at, 'is no map of font families: it is not published', SHAPE)
    return new Map()
  }
  return new Map(
    Object.entries(families.data).map(([name, family]) => [
      name,
      buildFont(family as Value, [...at, name], report),
    ]),
  )
}

function buildFont(written: Value, at: Path, report: Report): Font | { readonly asWritten: Value } {
  const parsed = WrittenFont.safeParse(written)
  if (parsed.success) return Object.freeze(parsed.data)
  report.warning(at, 'is no font family: it is published as it is written', SHAPE)
  return { asWritten: written }
}
