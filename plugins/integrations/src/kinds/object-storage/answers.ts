import type { Value } from '@svc/store/contract'
import { SaxesParser } from 'saxes'

/** One page of a list (ListObjectsV2), as its operation answers it; undefined of what is none. */
export function pageOf(xml: string, prefix: string): Value | undefined {
  const list = elementOf(xml)
  if (list?.name !== 'ListBucketResult') return undefined
  const items = list.inner
    .filter(({ name }) => name === 'Contents')
    .map((entry) => ({
      key: textOf(entry, 'Key') ?? '',
      size: Number(textOf(entry, 'Size') ?? 0),
      etag: plainTag(textOf(entry, 'ETag')),
      lastModified: textOf(entry, 'LastModified') ?? null,
    }))
    .filter(({ key }) => key.startsWith(prefix))
    .map((item) => ({ ...item, key: item.key.slice(prefix.length) }))
  const isCut = textOf(list, 'IsTruncated') === 'true'
  return { items, next: isCut ? (items.at(-1)?.key ?? null) : null }
}

/** The storage's word for what is wrong. */
export const codeOf = (xml: string): string | undefined => {
  const error = elementOf(xml)
  return error && textOf(error, 'Code')?.slice(0, 100)
}

/** An entity tag without its quotation marks. */
export const plainTag = (tag: string | undefined): string | null => tag?.replaceAll('"', '') ?? null

interface Element {
  readonly name: string
  readonly inner: Element[]
  text: string
}

const textOf = ({ inner }: Element, name: string): string | undefined =>
  inner.find((one) => one.name === name)?.text

/** The outermost element of a document; undefined of what is no XML. */
function elementOf(xml: string): Element | undefined {
  const document: Element = { name: '', inner: [], text: '' }
  const open = [document]
  const take = (text: string) => {
    open.at(-1)!.text += text
  }
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ local }) => {
    const element: Element = { name: local, inner: [], text: '' }
    open.at(-1)!.inner.push(element)
    open.push(element)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', take)
  parser.on('cdata', take)
  try {
    parser.write(xml).close()
  } catch {
    return undefined
  }
  return document.inner[0]
}
