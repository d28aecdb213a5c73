import { pathOf } from '@svc/files/contract'
import type { Row } from '@svc/store/contract'

/** An item of a library. */
export interface MediaItem {
  readonly id: string
  readonly domain: string
  readonly filename: string
  readonly mimeType: string
  /** In bytes; 0 where there are none. */
  readonly size: number
  /** Where its file is found; undefined where it has none. */
  readonly place: { readonly month: string; readonly extension: string } | undefined
  /** In pixels, as it is shown; null of what is no picture or cannot be measured. */
  readonly width: number | null
  readonly height: number | null
  /** RFC 3339, UTC. */
  readonly createdAt: string
  readonly createdBy: string | null
}

export const itemOf = (row: Row): MediaItem => ({
  id: String(row['id']),
  domain: String(row['domain']),
  filename: String(row['filename']),
  mimeType: String(row['mime_type']),
  size: Number(row['size']),
  place:
    row['month'] === null ? undefined : { month: String(row['month']), extension: String(row['extension']) },
  width: numberOf(row['width']),
  height: numberOf(row['height']),
  createdAt: String(row['created_at']),
  createdBy: row['created_by'] === null ? null : String(row['created_by']),
})

const numberOf = (value: Row[string] | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)

export const valuesOf = (item: MediaItem): Row => ({
  id: item.id,
  domain: item.domain,
  filename: item.filename,
  mime_type: item.mimeType,
  size: item.size,
  month: item.place?.month ?? null,
  extension: item.place?.extension ?? null,
  width: item.width,
  height: item.height,
  created_at: item.createdAt,
  created_by: item.createdBy,
})

/** The file of an item, as far as finding it goes; undefined where it has none. */
export const fileOf = ({ id, place }: MediaItem) => place && { id, ...place }

/** Where the bytes of an item are found; where there are none, a name that nothing answers to. */
export function itemPath(item: MediaItem): string {
  const file = fileOf(item)
  return file ? pathOf(file) : `/media/${item.id}/${encodeURIComponent(item.filename)}`
}

/** An item as answers show it. */
export const shown = (item: MediaItem) => ({
  id: item.id,
  filename: item.filename,
  mime_type: item.mimeType,
  size: item.size,
  path: itemPath(item),
  width: item.width,
  height: item.height,
  created_at: item.createdAt,
  created_by: item.createdBy,
})
export type ShownItem = ReturnType<typeof shown>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text has the form of an id. */
export const isUuid = (text: string): boolean => UUID.test(text)
