/** A JSON Schema as the field types and the actions give it. */
export type Schema = Readonly<Record<string, unknown>>

/** How schemas are written where it is not said by them. */
export interface Writing {
  /** Whether a member of an object that may be left out may be null as well, as those of records may. */
  readonly nullsOptional: boolean
  /** The type of a schema that has a name, which `#/components/schemas/<name>` refers to; `Json` where there is none. */
  named?(name: string): string | undefined
}

const OF_RECORDS: Writing = { nullsOptional: true }

/** The TypeScript type of the values that a schema describes; `Json` is any JSON value. */
export function typeOfSchema(schema: Schema, writing = OF_RECORDS): string {
  const { type, enum: values, const: only, $ref, anyOf, oneOf } = schema
  if (typeof $ref === 'string') return writing.named?.($ref.split('/').at(-1) ?? '') ?? 'Json'
  if (Array.isArray(values)) return unionOf(values)
  if (only !== undefined) return unionOf([only])
  const either = [
    anyOf,
    oneOf,
    Array.isArray(type) ? type.map((one) => ({ ...schema, type: one })) : undefined,
  ]
  const parts = either.find((one) => Array.isArray(one))
  if (parts !== undefined) {
    const types = parts.map((one) => (isSchema(one) ? typeOfSchema(one, writing) : 'Json'))
    return types.includes('Json') ? 'Json' : [...new Set(types)].join(' | ')
  }
  const write = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  return write?.(schema, writing) ?? 'Json'
}

/** A union of literals. */
export const unionOf = (values: readonly unknown[]): string =>
  values.length === 0 ? 'never' : values.map((value) => JSON.stringify(value)).join(' | ')

const TYPES: Readonly<Record<string, (schema: Schema, writing: Writing) => string>> = {
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items }, writing) =>
    `readonly ${grouped(isSchema(items) ? typeOfSchema(items, writing) : 'Json')}[]`,
  object: objectType,
}

function objectType({ properties, required, additionalProperties }: Schema, writing: Writing): string {
  if (!isSchema(properties)) return recordOf(additionalProperties, writing)
  const named = new Set(Array.isArray(required) ? required : [])
  const members = Object.entries(properties).map(([name, property]) => {
    const type = isSchema(property) ? typeOfSchema(property, writing) : 'Json'
    const optional = writing.nullsOptional ? `${type} | null` : type
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return named.has(name) ? `readonly ${key}: ${type}` : `readonly ${key}?: ${optional}`
  })
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`
}

const recordOf = (values: unknown, writing: Writing): string =>
  isSchema(values) ? `Readonly<Record<string, ${typeOfSchema(values, writing)}>>` : 'Json'

/** A type as it stands before `[]`. */
const grouped = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`)

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
