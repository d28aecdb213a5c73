import { z } from 'zod'

/** An item as lists and uploads answer it. */
export const Item = z.strictObject({
  id: z.uuid().describe('What fields of the type `media` hold'),
  filename: z.string(),
  mime_type: z.string(),
  size: z.int().describe('In bytes; 0 where the file was not taken'),
  path: z.string().describe('Where the bytes are found; nothing answers there where the file was not taken'),
  width: z.int().nullable().describe('In pixels, as it is shown; null of what is no picture'),
  height: z.int().nullable().describe('In pixels, as it is shown; null of what is no picture'),
  created_at: z.iso.datetime(),
  created_by: z.string().nullable().describe('The id of who added it; null: nobody'),
})

/** A record that refers to an item. */
export const Reference = z.strictObject({
  resource: z.string(),
  record_id: z.string(),
  field_name: z.string().describe('The field of the record, however deep in it the id stands'),
})

/** An item as it is answered alone. */
export const WholeItem = Item.extend({
  reference_count: z.int().describe('How many references there are'),
  references: z
    .array(Reference)
    .describe('Those of them whose record you may get and whose field you may read'),
})

/** What a part of many answers. */
export const Page = z.strictObject({
  items: z.array(Item),
  count: z.int().describe('How many items are in this answer'),
  totalCount: z.int().describe('How many there are in all'),
  meta: z.strictObject({
    total: z.int(),
    page: z.int(),
    per_page: z.int(),
    total_pages: z.int(),
    has_next: z.boolean(),
    has_prev: z.boolean(),
  }),
})

export const Deleted = z.strictObject({
  deleted: z.int().describe('How many items are gone'),
  skipped: z.array(z.string()).describe('Ids of items that records refer to, or that you may not delete'),
  not_found: z.array(z.string()).describe('Ids that the library does not have'),
})
