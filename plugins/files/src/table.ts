import { column, type Row, type Table } from '@svc/store/contract'

/** The columns of a file. */
export const FILE = {
  id: column('id', 'uuid'),
  /** The year and the month of its upload, as in its path: `2026/03`. */
  month: column('month', 'text'),
  extension: column('extension', 'text'),
  filename: column('filename', 'text'),
  mimeType: column('mime_type', 'text'),
  /** In bytes. */
  size: column('size', 'integer'),
  /** SHA-256 of its bytes, in base64url. */
  hash: column('hash', 'text'),
  isUtf8: column('is_utf8', 'boolean'),
  createdAt: column('created_at', 'datetime'),
  createdBy: column('created_by', 'text', true),
}

/** The files of which all bytes are there. */
export const files: Table = {
  name: 'svc_files',
  columns: Object.values(FILE),
  primaryKey: [FILE.id],
  indexes: [],
  foreignKeys: [],
}

/** Where files have the names that they came with. */
export const NAMES = { table: files, id: FILE.id, filename: FILE.filename }

export const SECRET = {
  id: column('id', 'integer'),
  secret: column('secret', 'text'),
  /** Since when this database knows of files; null where it has known of them for longer than it notes that. */
  since: column('since', 'datetime', true),
}

/** One row: what signs addresses, for all servers of a database, and since when there is that. */
export const secrets: Table = {
  name: 'svc_file_secrets',
  columns: Object.values(SECRET),
  primaryKey: [SECRET.id],
  indexes: [],
  foreignKeys: [],
}

/** A file whose bytes are kept. */
export interface FileRow {
  readonly id: string
  readonly month: string
  readonly extension: string
  readonly filename: string
  readonly mimeType: string
  readonly size: number
  readonly hash: string
  readonly isUtf8: boolean
  /** RFC 3339, UTC. */
  readonly createdAt: string
  readonly createdBy: string | null
}

/** What is needed to find a file. */
export type FilePlace = Pick<FileRow, 'id' | 'month' | 'extension'>

export const fileOf = (row: Row): FileRow => ({
  id: String(row['id']),
  month: String(row['month']),
  extension: String(row['extension']),
  filename: String(row['filename']),
  mimeType: String(row['mime_type']),
  size: Number(row['size']),
  hash: String(row['hash']),
  isUtf8: row['is_utf8'] === true,
  createdAt: String(row['created_at']),
  createdBy: row['created_by'] === null ? null : String(row['created_by']),
})

export const valuesOf = (file: FileRow): Row => ({
  id: file.id,
  month: file.month,
  extension: file.extension,
  filename: file.filename,
  mime_type: file.mimeType,
  size: file.size,
  hash: file.hash,
  is_utf8: file.isUtf8,
  created_at: file.createdAt,
  created_by: file.createdBy,
})
