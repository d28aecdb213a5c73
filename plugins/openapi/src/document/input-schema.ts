import { z } from 'zod'
import type { ClaimName } from './names.ts'
import { refer, type Schema } from './parts.ts'
import { referencesIn } from './unused.ts'

/** Where the parts of recursive schemas are kept. */
export interface Definitions {
  readonly claim: ClaimName
  readonly schemas: Record<string, Schema>
}

/** Where a value stands: in a query, in the body of a request, or in an answer. */
export type Place = 'query' | 'body' | 'answer'

/** The JSON Schema of what `schema` takes or answers; `name` is used for its recursive parts. */
export function jsonSchemaOf(
  schema: z.ZodType,
  place: Place,
  name: string,
  definitions: Definitions,
): Schema {
  const written: Record<string, unknown> = z.toJSONSchema(schema, {
    io: place === 'answer' ? 'output' : 'input',
    unrepresentable: 'any',
    override: place === 'body' ? asSent : withoutSafeBounds,
  })
  const { $schema: _, $defs, ...own } = written
  const parts = isObject($defs) ? Object.entries($defs) : []
  const names = new Map(
    parts.map(([key]) => [`#/$defs/${key}`, definitions.claim(`${name}.${key.replace(/^_+/, '')}`)]),
  )
  // It stands where its parameters of a path are taken out; what refers to it means all of it.
  const isRecursive = referencesIn(written).includes(WHOLE)
  if (isRecursive) names.set(WHOLE, definitions.claim(name))
  if (names.size === 0) return own
  for (const [key, part] of parts) {
    const { id: _id, ...plain } = isObject(part) ? part : {}
    definitions.schemas[names.get(`#/$defs/${key}`)!] = referring(plain, names)
  }
  const whole = referring(own, names)
  if (isRecursive) definitions.schemas[names.get(WHOLE)!] = whole
  return whole
}

/** How a recursive schema refers to itself. */
const WHOLE = '#'

/** The bounds of exact integers say nothing about one field. */
function withoutSafeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}

/** In a body a default is told in words: the keyword makes typed clients ask for the value each time. */
function asSent(written: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  withoutSafeBounds(written)
  const { jsonSchema } = written
  if (jsonSchema.default === undefined) return
  const note = `\`${JSON.stringify(jsonSchema.default)}\` where it is absent.`
  jsonSchema.description = jsonSchema.description ? `${jsonSchema.description}\n\n${note}` : note
  delete jsonSchema.default
}

/** `schema` with references to its own definitions turned into references to components. */
export function referring(schema: Schema, names: ReadonlyMap<string, string>): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const name = key === '$ref' && typeof value === 'string' ? names.get(value) : undefined
      return name === undefined ? [key, referringValue(value, names)] : ['$ref', refer('schemas', name).$ref]
    }),
  )
}

function referringValue(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => referringValue(one, names))
  return isObject(value) ? referring(value, names) : value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
