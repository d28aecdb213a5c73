import type { z } from 'zod'
import type { FieldDefinition } from '../definition/schema/field.ts'
import { FieldTypeError, throwAll } from './field-type-error.ts'

/**
 * Reads an attribute that a type adds; undefined where the field does not carry it. The schema's messages go on
 * from the attribute's name: "must be …".
 */
export function readAttribute<S extends z.ZodType>(
  definition: FieldDefinition,
  name: string,
  schema: S,
): z.output<S> | undefined {
  const written = definition[name]
  if (written === undefined) return undefined
  const read = schema.safeParse(written)
  if (read.success) return read.data
  throwAll(
    read.error.issues.map(
      (one) => new FieldTypeError([name, ...one.path.map(step)], `${name} ${one.message}`),
    ),
  )
  return undefined
}

const step = (key: PropertyKey): string | number => (typeof key === 'number' ? key : String(key))
