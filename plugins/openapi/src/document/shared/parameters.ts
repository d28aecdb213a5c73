import type { Parameter, Schema } from '../parts.ts'

const query = (name: string, schema: Schema, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
})
const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})
const text: Schema = { type: 'string' }

/** The parameters that operations share, by the name of the component. */
export const SHARED_PARAMETERS = {
  PageParam: query('page', { type: 'integer', minimum: 1, default: 1 }, 'Page, counted from 1'),
  LimitParam: query(
    'limit',
    { type: 'integer', minimum: 1, maximum: 1000, default: 50 },
    'Most records that one answer holds; a number out of range is brought into range',
  ),
  OffsetParam: query(
    'offset',
    { type: 'integer', minimum: 0 },
    'Records to leave out first, in place of `page`; the answer has no total',
  ),
  CursorParam: query(
    'cursor',
    text,
    'Where the answer before ended: its `nextCursor`, or nothing for the first part; the answer has no total',
  ),
  SortParam: query(
    'sort',
    text,
    'Fields to sort by, joined by commas; `-` before a name turns the order round. `author.name` is a field of what a record belongs to',
  ),
  SearchParam: query('search', text, 'Text to look for anywhere in the texts of a record, in any case'),
  IncludeParam: query(
    'include',
    text,
    'Relationships to embed, joined by commas; `_permissions` tells what you may do with the record',
  ),
  ScopeParam: query('scope', text, 'A named part of all records'),
  FieldsParam: query(
    'fields',
    text,
    'Fields to answer, joined by commas; the key always comes along. `author.name` is a field of what `include` brings',
  ),
  IfMatchParam: header(
    'If-Match',
    'The `ETag` of the record that you read: the write is refused if it has changed since',
  ),
  IfNoneMatchParam: header('If-None-Match', 'The `ETag` that you have: 304 if it is still right'),
  IdempotencyKeyParam: header(
    'Idempotency-Key',
    'A name of this request: sent again within 24 hours, it is answered again and not done again',
  ),
} as const satisfies Readonly<Record<string, Parameter>>

export type SharedParameter = keyof typeof SHARED_PARAMETERS
