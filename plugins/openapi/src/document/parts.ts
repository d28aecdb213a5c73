import type { Failure } from './shared/failures.ts'

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type Schema = Readonly<Record<string, unknown>>

export interface Reference {
  readonly $ref: string
}

/** A parameter of an operation (OpenAPI 3.1, section 4.8.12). */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

/** A body in one media type. */
export interface Content {
  readonly type: string
  readonly schema: Schema
  /** In place of that of the schema. */
  readonly example?: object
}

/** What an answer to a request that went well looks like. */
export interface Success {
  readonly status: 200 | 201 | 202 | 204
  readonly description: string
  /** Absent where the answer has no body. */
  readonly content?: Content
  /** Whether the answer names the state of the record by an entity tag. */
  readonly isTagged?: boolean
  /** Whether the answer is bytes, of which a part can be asked for. */
  readonly isInParts?: boolean
}

/** What one operation takes and answers, as far as its kind decides. */
export interface Parts {
  readonly description?: string | undefined
  /** The schemas of path parameters by name; one that is not named here is text. */
  readonly path?: Readonly<Record<string, Schema>>
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly body?: Content & { readonly required: boolean; readonly otherTypes?: readonly string[] }
  readonly success: Success
  /** Names of shared responses, besides those that every operation has. */
  readonly failures?: readonly Failure[]
}

export const JSON_TYPE = 'application/json'

/** Refers to a component. */
export const refer = (kind: 'schemas' | 'parameters' | 'responses' | 'headers', name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
})

/** An object that has all of `properties` but the `optional` ones. */
export const objectOf = (
  properties: Readonly<Record<string, Schema | Reference>>,
  optional: readonly string[] = [],
): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

export const listOf = (items: Schema | Reference): Schema => ({ type: 'array', items })

/** The success envelope around `data`. */
export const enveloped = (data: Schema | Reference): Schema => ({
  allOf: [refer('schemas', 'Envelope'), { type: 'object', required: ['data'], properties: { data } }],
})

/** An answer in the envelope. */
export const answering = (
  data: Schema | Reference,
  description: string,
  status: 200 | 201 | 202 = 200,
): Success => ({ status, description, content: { type: JSON_TYPE, schema: enveloped(data) } })

/** The same answer with an `ETag`. */
export const tagged = (success: Success): Success => ({ ...success, isTagged: true })

/** A JSON body that has to be sent. */
export const jsonBody = (
  schema: Schema | Reference,
  example?: object,
): Content & { readonly required: boolean } => ({
  type: JSON_TYPE,
  schema: { ...schema },
  required: true,
  ...(example && { example }),
})
