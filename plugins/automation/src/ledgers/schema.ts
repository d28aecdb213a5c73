import type { JsonSchema } from '@svc/domain/contract'
import { z } from 'zod'

/** What a list of entries answers, in the form of every list. */
export const listAnswer = (entry: z.ZodObject) =>
  z.object({
    items: z.array(entry),
    count: z.int().describe('How many of them this part holds.'),
    totalCount: z.int().optional().describe('How many there are.'),
    meta: z.looseObject({ total: z.int(), page: z.int(), per_page: z.int() }).optional(),
  })

/** A schema of answers as documents tell it, in one piece: a part that holds itself is told once, and may be anything inside. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const told: Record<string, unknown> = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
  const { $schema: _, $defs = {}, ...own } = told
  return inOnePiece(own, new Map(Object.entries($defs ?? {})), [])
}

type Definitions = ReadonlyMap<string, unknown>

/** A schema with its definitions in place of what refers to them; `inside` are those that it stands in. */
function inOnePiece(schema: object, definitions: Definitions, inside: readonly string[]): JsonSchema {
  const { $ref, id: _, ...own }: { $ref?: unknown; id?: unknown } = schema
  const name = typeof $ref === 'string' ? $ref.replace('#/$defs/', '') : undefined
  const definition = name === undefined || inside.includes(name) ? undefined : definitions.get(name)
  const meant =
    name !== undefined && isObject(definition) ? inOnePiece(definition, definitions, [...inside, name]) : {}
  const parts = Object.entries(own).map(([key, part]) => [key, partOf(part, key, definitions, inside)])
  return { ...meant, ...Object.fromEntries(parts) }
}

function partOf(part: unknown, key: string, definitions: Definitions, inside: readonly string[]): unknown {
  if (Array.isArray(part)) return part.map((one) => partOf(one, key, definitions, inside))
  if (!isObject(part)) return part
  // The names of properties are no keywords.
  if (key !== 'properties') return inOnePiece(part, definitions, inside)
  const properties = Object.entries(part)
  return Object.fromEntries(
    properties.map(([name, one]) => [name, partOf(one, 'property', definitions, inside)]),
  )
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
