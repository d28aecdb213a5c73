import type { JsonSchema } from '@svc/domain/contract'

export const TEXT: JsonSchema = { type: 'string' }
export const MOMENT: JsonSchema = { type: 'string', format: 'date-time' }

/** A value of a type, or null. */
export const orNull = (type: string): JsonSchema => ({ type: [type, 'null'] })

/** An object that has all of `properties` but the `optional` ones. */
export const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})
