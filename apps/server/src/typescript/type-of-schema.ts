/** A JSON Schema as the field types give it. */
type Schema = Readonly<Record<string, unknown>>

/** The TypeScript type of the values that a field's schema describes; `Json` is any JSON value. */
export function typeOfSchema(schema: Schema): string {
  const { type, enum: values } = schema
  if (Array.isArray(values)) return unionOf(values)
  const write = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  return write?.(schema) ?? 'Json'
}

/** A union of literals. */
export const unionOf = (values: readonly unknown[]): string =>
  values.length === 0 ? 'never' : values.map((value) => JSON.stringify(value)).join(' | ')

const TYPES: Readonly<Record<string, (schema: Schema) => string>> = {
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  array: ({ items }) => `readonly ${grouped(isSchema(items) ? typeOfSchema(items) : 'Json')}[]`,
  object: objectType,
}

function objectType({ properties, required }: Schema): string {
  if (!isSchema(properties)) return 'Json'
  const named = new Set(Array.isArray(required) ? required : [])
  const members = Object.entries(properties).map(([name, property]) => {
    const type = isSchema(property) ? typeOfSchema(property) : 'Json'
    return named.has(name) ? `readonly ${name}: ${type}` : `readonly ${name}?: ${type} | null`
  })
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`
}

/** A type as it stands before `[]`. */
const grouped = (type: string): string => (/^\w+$/.test(type) ? type : `(${type})`)

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
