import { type EvaluationContext, type Filling, TextLimitError } from '@svc/expression/contract'
import type { PictureReference } from './address.ts'
import type { Body } from './body/template.ts'
import type { Document, Line, Picture } from './document.ts'
import { renderFailed } from './errors.ts'
import { DocumentFiller } from './fill/fill.ts'
import type { FormatFacts } from './formats/formats.ts'

/** The templates of one document. */
export interface DocumentParts {
  readonly body: Body
  readonly header?: LineParts | undefined
  readonly footer?: LineParts | undefined
  readonly logo?: PictureReference | undefined
}

/** The templates of a line at the top or the foot; a single one stands at the left. */
export type LineParts = { readonly [Side in keyof Line]?: Body | undefined }

/** Hands over a picture; undefined where it is gone, or may not be seen. */
export type PictureResolver = (reference: PictureReference) => Promise<Picture | undefined>

/** A document that is ready to be made into a file. */
export interface Composed {
  readonly document: Document
  /** The number of the logo among its pictures. */
  readonly logo: number | undefined
  /** What is shown otherwise than it was asked for, in words. */
  readonly warnings: readonly string[]
  /** The same of pictures that the format turns out not to read, by their numbers. */
  unread(numbers: readonly number[]): readonly string[]
}

/** The bytes of a document's pictures together. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Fills the templates of a document with their data, and asks for its pictures. Throws RENDER_FAILED (422) past a limit,
 * which it names.
 */
export async function composeDocument(
  parts: DocumentParts,
  context: EvaluationContext,
  filling: Filling,
  { pictures: shown }: Pick<FormatFacts, 'pictures'>,
  resolve: PictureResolver,
): Promise<Composed> {
  try {
    const filler = new DocumentFiller(filling)
    const children = await filler.blocks(parts.body, context)
    const header = await lineOf(parts.header, filler, context)
    const footer = await lineOf(parts.footer, filler, context)
    const logo = parts.logo && filler.picture(parts.logo)
    const { pictures, warnings } = await resolved(filler.pictures, shown, resolve)
    return {
      document: { children, header, footer, pictures },
      logo: logo !== undefined && pictures[logo] ? logo : undefined,
      warnings,
      unread(numbers) {
        const names = new Set(numbers.map((number) => nameOf(filler.pictures[number]!)))
        return [...names].map((name) => `the picture ${name} cannot be read: its text is shown`)
      },
    }
  } catch (error) {
    if (error instanceof TextLimitError) throw renderFailed(LIMITS[error.limit])
    throw error
  }
}

const LIMITS = {
  levels: 'has blocks that stand more than 10 deep',
  passes: 'needs more than 50000 passes of its loops',
  bytes: 'has more than 5 MiB of text',
}

async function lineOf(
  parts: LineParts | undefined,
  filler: DocumentFiller,
  context: EvaluationContext,
): Promise<Line | undefined> {
  if (parts === undefined) return undefined
  const side = async (body: Body | undefined) => (body ? filler.line(body, context) : [])
  return { left: await side(parts.left), center: await side(parts.center), right: await side(parts.right) }
}

async function resolved(
  references: readonly PictureReference[],
  shown: ReadonlySet<string>,
  resolve: PictureResolver,
): Promise<{ readonly pictures: readonly (Picture | undefined)[]; readonly warnings: readonly string[] }> {
  const known = new Map<string, Picture | undefined>()
  const warnings: string[] = []
  let bytes = 0
  for (const reference of references) {
    const name = nameOf(reference)
    if (known.has(name)) continue
    const picture = await resolve(reference)
    const isShown = picture !== undefined && shown.has(picture.type)
    known.set(name, isShown ? picture : undefined)
    if (picture === undefined) warnings.push(`the picture ${name} is not there: its text is shown`)
    else if (!isShown)
      warnings.push(`the picture ${name} is ${picture.type}, which has no place here: its text is shown`)
    else bytes += picture.bytes.byteLength
    if (bytes > MOST_BYTES) throw renderFailed(`has pictures of more than ${MOST_BYTES} bytes`)
  }
  return { pictures: references.map((reference) => known.get(nameOf(reference))), warnings }
}

/** As it is written, or as it may be told. */
function nameOf(reference: PictureReference): string {
  if (reference.from === 'media') return `media:${reference.id}`
  if (reference.from === 'icon') return `icon:${reference.set}:${reference.name}`
  return reference.value.slice(0, 60)
}
