import type { Value } from '@svc/store/contract'

/** One page of a list (ListObjectsV2), as its operation answers it. */
export const pageOf = (xml: string, prefix: string): Value => {
  const items = [...xml.matchAll(/<Contents>([^]*?)<\/Contents>/g)].map(([, entry = '']) => ({
    key: (textOf(entry, 'Key') ?? '').slice(prefix.length),
    size: Number(textOf(entry, 'Size') ?? 0),
    etag: plainTag(textOf(entry, 'ETag')),
    lastModified: textOf(entry, 'LastModified') ?? null,
  }))
  const isCut = textOf(xml, 'IsTruncated') === 'true'
  return { items, next: isCut ? (items.at(-1)?.key ?? null) : null }
}

/** The storage's word for what is wrong. */
export const codeOf = (xml: string): string | undefined => textOf(xml, 'Code')?.slice(0, 100)

/** An entity tag without its quotation marks. */
export const plainTag = (tag: string | undefined): string | null => tag?.replaceAll('"', '') ?? null

function textOf(xml: string, element: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? []
  return text?.replaceAll(/&(?:(amp|lt|gt|quot|apos)|#(\d+)|#x([0-9a-f]+));/gi, (_, name, digits, hex) =>
    name === undefined ? String.fromCodePoint(Number(digits ?? `0x${hex}`)) : (ENTITIES[name] ?? ''),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
