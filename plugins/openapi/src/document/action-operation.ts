import type { Action, RawBody } from '@svc/kernel'
import { type Definitions, jsonSchemaOf } from './input-schema.ts'
import type { Notes } from './notes.ts'
import { answering, JSON_TYPE, type Parameter, type Parts, type Schema, type Success } from './parts.ts'
import type { Failure } from './shared/failures.ts'

/** What is known of an action at one of its routes. */
export interface RoutedAction {
  readonly action: Action
  readonly notes: Notes
  readonly method: string
  /** Names of the path's parameters. */
  readonly pathParameters: readonly string[]
}

/** What an action without a model says of itself: its input without the path is the query, or the body where that is no stream of bytes. */
export function actionOperation(routed: RoutedAction, definitions: Definitions): Parts {
  const { action, notes, method, pathParameters } = routed
  const place = readsQuery(routed) ? 'query' : 'body'
  const input = action.input && jsonSchemaOf(action.input, place, action.name, definitions)
  const { path, query, body } = divided(input ?? {}, routed)
  const named = (notes.query ?? []).filter((name) => !Object.hasOwn(query, name))
  const parameters = [
    ...Object.entries(query).map(([name, schema]) => queryParameter(name, schema, isNeeded(input, name))),
    ...named.map((name) => queryParameter(name, { type: 'string' }, false)),
  ]
  const success = successOf(routed, definitions)
  return {
    path,
    parameters: success.isInParts ? [...parameters, RANGE] : parameters,
    ...(body && { body: { type: JSON_TYPE, schema: body, required: needsSomething(body) } }),
    ...(action.rawBody && { body: binary(action.rawBody) }),
    success,
    failures: [
      ...failuresOf(
        { hasQuery: parameters.length > 0, hasBody: body !== undefined, hasPath: pathParameters.length > 0 },
        method,
      ),
      ...(success.isInParts ? (['NotModified', 'RangeNotSatisfiable'] as const) : []),
    ],
  }
}

/** Whether the input is of the path and the query alone. */
const readsQuery = ({ action, method }: RoutedAction): boolean =>
  method === 'GET' || action.rawBody !== undefined

const binary = ({
  types: [type = ANY_TYPE, ...otherTypes] = [],
  bytes,
}: RawBody): NonNullable<Parts['body']> => ({
  type,
  otherTypes,
  schema: type === FORM ? fileOfForm(bytes) : { ...BYTES, description: `At most ${bytes} bytes` },
  required: true,
})

const BYTES: Schema = { type: 'string', format: 'binary' }

/** What forms with files are sent as (RFC 7578). */
const FORM = 'multipart/form-data'

/** The one file of a form, whatever its part is called. */
const fileOfForm = (bytes: number): Schema => ({
  type: 'object',
  required: ['file'],
  properties: { file: { ...BYTES, description: 'The file, in a part of any name' } },
  description: `At most ${bytes} bytes in all`,
})

/** What a media type range says of all of them (RFC 9110, section 12.5.1). */
const ANY_TYPE = '*/*'

/** A part of some bytes (RFC 9110, section 14.2). */
const RANGE: Parameter = {
  name: 'Range',
  in: 'header',
  description: 'One range of bytes, such as `bytes=0-1023`: the answer is 206',
  schema: { type: 'string' },
}

interface Divided {
  readonly path: Readonly<Record<string, Schema>>
  readonly query: Readonly<Record<string, Schema>>
  readonly body: Schema | undefined
}

function divided(input: Schema, routed: RoutedAction): Divided {
  const { pathParameters, notes } = routed
  const properties = propertiesOf(input)
  const isRead = readsQuery(routed)
  if (properties === undefined)
    return { path: {}, query: {}, body: isRead || Object.keys(input).length === 0 ? undefined : input }
  const pick = (wanted: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => wanted(name)))
  const inPath = (name: string) => pathParameters.includes(name)
  const inQuery = (name: string) => !inPath(name) && (isRead || (notes.query ?? []).includes(name))
  const rest = pick((name) => !inPath(name) && !inQuery(name))
  const isOpen = Object.keys(properties).length === 0 && input['additionalProperties'] !== false
  const hasBody = !isRead && (isOpen || Object.keys(rest).length > 0)
  return { path: pick(inPath), query: pick(inQuery), body: hasBody ? narrowed(input, rest) : undefined }
}

/** An object schema with some of its properties alone. */
function narrowed(schema: Schema, properties: Readonly<Record<string, Schema>>): Schema {
  const { required: _, ...rest } = schema
  const needed = Object.keys(properties).filter((name) => isNeeded(schema, name))
  return { ...rest, properties, ...(needed.length > 0 && { required: needed }) }
}

function propertiesOf({ type, properties }: Schema): Readonly<Record<string, Schema>> | undefined {
  if (type !== 'object') return undefined
  const found: Record<string, Schema> = {}
  for (const [name, schema] of Object.entries(properties ?? {})) found[name] = schema as Schema
  return found
}

const requiredOf = (schema: Schema | undefined): readonly unknown[] =>
  Array.isArray(schema?.['required']) ? schema['required'] : []

const isNeeded = (schema: Schema | undefined, name: string): boolean => requiredOf(schema).includes(name)

const needsSomething = (body: Schema): boolean => body['type'] !== 'object' || requiredOf(body).length > 0

function queryParameter(name: string, schema: Schema, required: boolean): Parameter {
  const { description, ...rest } = schema
  return {
    name,
    in: 'query',
    ...(required && { required }),
    ...(typeof description === 'string' && { description }),
    schema: rest,
  }
}

function successOf({ action, notes, method }: RoutedAction, definitions: Definitions): Success {
  const description = 'Done'
  const status = notes.status ?? (method === 'DELETE' && action.output === undefined ? 204 : 200)
  if (status === 204) return { status, description }
  const data = action.output
    ? jsonSchemaOf(action.output, 'answer', `${action.name}.output`, definitions)
    : {}
  if (!notes.direct) return answering(data, description, status)
  const { type = JSON_TYPE, bytes = false } = notes.openapi || {}
  if (bytes) return { status, description: 'The bytes', content: { type, schema: BYTES }, isInParts: true }
  const schema = /[/+]json$/.test(type) ? data : { type: 'string' }
  return { status, description: 'Direct: without envelope', content: { type, schema } }
}

interface Takes {
  readonly hasQuery: boolean
  readonly hasBody: boolean
  readonly hasPath: boolean
}

const failuresOf = ({ hasQuery, hasBody, hasPath }: Takes, method: string): readonly Failure[] => [
  ...(hasQuery ? (['BadRequest'] as const) : []),
  ...(hasPath ? (['NotFound'] as const) : []),
  ...(method === 'GET' ? [] : (['Conflict'] as const)),
  ...(hasBody || hasQuery ? (['ValidationError'] as const) : []),
]
