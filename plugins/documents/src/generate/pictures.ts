import type { Model } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Media } from '@svc/media/contract'
import {
  type Font,
  fontFamily,
  type Picture,
  pictureReference,
  type PictureReference,
  type PictureResolver,
} from '@svc/render/contract'
import type { Logo } from '../compile/layout.ts'

const SVG = 'image/svg+xml'
/** A larger picture is not shown. */
const MOST_BYTES = 64 * 1024 * 1024

/**
 * Hands over the pictures of a document. What its author wrote is there for every reader; what a value names, for those who
 * may look at it.
 */
export const picturesOf =
  (model: Model, media: Media, as: Caller): PictureResolver =>
  async (reference) => {
    if (reference.from === 'icon') return svg(model.icons.get(reference.set)?.texts.get(reference.name))
    if (reference.from === 'media') return itemOf(reference.id)
    const { value } = reference
    return value.trimStart().startsWith('<') ? svg(value) : itemOf(value, as)

    async function itemOf(id: string, reader?: Caller): Promise<Picture | undefined> {
      const opened = await media.open(model.name, id)
      if (opened === undefined || opened.item.size > MOST_BYTES) return undefined
      const { item } = opened
      if (reader !== undefined && reader.kind !== 'system' && !media.mayBrowse(reader, item)) return undefined
      const bytes = await gathered(await opened.read())
      return { bytes, type: item.mimeType, width: item.width, height: item.height }
    }
  }

const svg = (text: string | undefined): Picture | undefined =>
  text === undefined
    ? undefined
    : { bytes: new TextEncoder().encode(text), type: SVG, width: null, height: null }

/**
 * What a logo names: an icon, an item of media, or the text of a picture. An item that a value names, and not the author,
 * is shown to those who may look at it.
 */
export function logoReference(filled: string, { isAuthors }: Logo): PictureReference | undefined {
  const name = filled.trim()
  if (name === '') return undefined
  if (name.startsWith('<')) return { from: 'value', value: name }
  const id = /^media:([^\s:]+)$/.exec(name)?.[1] ?? name
  const icon = /^(?:icon:)?([^\s:]+:[^\s:]+)$/.exec(name)?.[1]
  if (icon !== undefined && id === name) return pictureReference(`icon:${icon}`)
  return isAuthors ? { from: 'media', id } : { from: 'value', value: id }
}

/** The family of a layout; undefined where it cannot be read: the built-in one stands in. */
export async function fontOf(name: string, model: Model, media: Media): Promise<Font | undefined> {
  const family = model.fonts.get(name)
  if (family === undefined || 'asWritten' in family || family.regular === undefined) return undefined
  const face = async (id: string | undefined) => {
    const opened = id === undefined ? undefined : await media.open(model.name, id)
    return opened && gathered(await opened.read())
  }
  const regular = await face(family.regular)
  const known = regular && fontFamily(regular)
  if (regular === undefined || known === undefined) return undefined
  return {
    family: known,
    regular,
    bold: await face(family.bold),
    italic: await face(family.italic),
    boldItalic: await face(family.boldItalic),
  }
}

/** All bytes of something that is read whole, or as it comes. */
export async function gathered(bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}
