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

/** A schema of answers as documents tell it. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...told } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
  return told
}
