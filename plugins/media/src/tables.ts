import { column, type Table } from '@svc/store/contract'

/** The columns of an item. */
export const ITEM = {
  /** That of its file, where there is one. */
  id: column('id', 'uuid'),
  /** The domain that it is of. */
  domain: column('domain', 'text'),
  filename: column('filename', 'text'),
  mimeType: column('mime_type', 'text'),
  /** In bytes; 0 where there are none. */
  size: column('size', 'integer'),
  /** Where its file is found, as in the row of the file; null where there is none. */
  month: column('month', 'text', true),
  extension: column('extension', 'text', true),
  /** In pixels, as it is shown. */
  width: column('width', 'integer', true),
  height: column('height', 'integer', true),
  createdAt: column('created_at', 'datetime'),
  createdBy: column('created_by', 'text', true),
}

/** The items of all domains. */
export const items: Table = {
  name: 'svc_media_items',
  columns: Object.values(ITEM),
  primaryKey: [ITEM.id],
  indexes: [
    {
      name: 'svc_media_items_domain_idx',
      columns: [ITEM.domain, ITEM.createdAt, ITEM.id],
      unique: false,
    },
  ],
  foreignKeys: [],
}

/** The columns of a reference. */
export const REFERENCE = {
  domain: column('domain', 'text'),
  resource: column('resource', 'text'),
  recordId: column('record_id', 'text'),
  /** The field of the record, however deep in its value the id stands. */
  fieldName: column('field_name', 'text'),
  mediaId: column('media_id', 'uuid'),
}

/** Which records refer to which items: written with their values. The database keeps an item as long as a row is about it. */
export const references: Table = {
  name: 'svc_media_references',
  columns: Object.values(REFERENCE),
  primaryKey: [
    REFERENCE.domain,
    REFERENCE.resource,
    REFERENCE.recordId,
    REFERENCE.fieldName,
    REFERENCE.mediaId,
  ],
  indexes: [{ name: 'svc_media_references_media_idx', columns: [REFERENCE.mediaId], unique: false }],
  foreignKeys: [
    {
      name: 'svc_media_references_media_fkey',
      column: REFERENCE.mediaId,
      references: { table: items.name, column: ITEM.id.name },
      onDelete: 'no action',
    },
  ],
}
