import { z } from 'zod'
import type { ClaimName } from './names.ts'
import { refer, type Schema } from './parts.ts'

/** Where the parts of recursive schemas are kept. */
export interface Definitions {
  readonly claim: ClaimName
  readonly schemas: Record<string, Schema>
}

/** The JSON Schema of what `schema` takes (`input`) or answers (`output`); `name` is used for its recursive parts. */
export function jsonSchemaOf(
  schema: z.ZodType,
  io: 'input' | 'output',
  name: string,
  definitions: Definitions,
): Schema {
  const written: Record<string, unknown> = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: withoutSafeBounds,
  })
  const { $schema: _, $defs, ...own } = written
  if (!isObject($defs)) return own
  const names = new Map(
    Object.keys($defs).map((key) => [
      `#/$defs/${key}`,
      definitions.claim(`${name}.${key.replace(/^_+/, '')}`),
    ]),
  )
  for (const [key, part] of Object.entries($defs)) {
    const { id: _id, ...plain } = isObject(part) ? part : {}
    definitions.schemas[names.get(`#/$defs/${key}`)!] = referring(plain, names)
  }
  return referring(own, names)
}

/** The bounds of exact integers say nothing about one field. */
function withoutSafeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}

/** `schema` with references to its own definitions turned into references to components. */
function referring(schema: Record<string, unknown>, names: ReadonlyMap<string, string>): Schema {
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
