/** What a part says of itself. */
export interface Description {
  /** Laid over the answer of the schema endpoint: over that of the domain, or over that of the resource. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** Its share of the OpenAPI document. */
  readonly openapi?: Documentation
}

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** What an OpenAPI document says of a part. */
export interface Documentation {
  /**
   * Schemas by name, which references call `#/components/schemas/<name>`. Parts that give the same schema the same name
   * share one; of different ones of one name the later gets another name, and references to it follow.
   */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  /** What the part's operations, or actions, take and answer, by their names. */
  readonly operations?: Readonly<Record<string, OperationDescription>>
  /** What it adds to the engine's own operations that write records, by the names of resources. */
  readonly writes?: Readonly<Record<string, WriteRemarks>>
}

/** Remarks on operations by what they do to records; one that may do several has those of each. */
export type WriteRemarks = Readonly<Partial<Record<'create' | 'update' | 'delete', WriteRemark>>>

/** What happens besides where records are written. */
export interface WriteRemark {
  readonly description: string
  /** Statuses of the errors that it brings about. */
  readonly failures?: readonly number[]
}

/** What one operation takes and answers, as far as its action's schemas do not say it. */
export interface OperationDescription {
  /** The status of an answer that went well; 200 unless said. One of 204 has nothing to say. */
  readonly status?: 201 | 204
  readonly description?: string
  /** Query parameters by name; the `description` of each stands in its schema. */
  readonly query?: Readonly<Record<string, JsonSchema>>
  /** Headers that it heeds. */
  readonly headers?: readonly ('If-Match' | 'Idempotency-Key')[]
  readonly body?: { readonly schema: JsonSchema; readonly example?: object }
  /** What it answers as `data`; what its action's `output` says, unless said here. */
  readonly answers?: Answered
  /** Statuses of the errors that it may answer besides those of every operation, such as 404, 409 or 412. */
  readonly failures?: readonly number[]
}

/** An answer that went well, with what it is in words. */
export type Answered =
  | { readonly description: string; readonly data: JsonSchema }
  /** A part of many, by `page`, `limit` (100 unless said here) and `offset`, as `records.list` answers. */
  | { readonly description: string; readonly items: JsonSchema; readonly limit?: number }
  /** A body of another media type than JSON, such as `text/csv`. */
  | { readonly description: string; readonly media: string }
  /** The record of the part's resource, with its `ETag`. */
  | { readonly description: string; readonly record: true }
