import type { Value } from '@svc/store/contract'
import { z } from 'zod'
import type { Resource } from '../model/resource.ts'
import { PERMISSIONS } from '../query/include.ts'
import { sentenceOf } from '../speech/sentence.ts'
import { MASK } from './record.ts'

/** What an answer about one record has to look like: known names alone, each value fit for its field. */
export const recordSchema = (resource: Resource): z.ZodType =>
  z.record(z.string(), z.unknown()).superRefine((record, context) => {
    for (const [name, value] of Object.entries(record)) {
      const fault = faultOf(resource, name, value as Value)
      if (fault !== undefined) context.addIssue({ code: 'custom', path: [name], message: fault })
    }
  })

/** The same for the list payload. */
export const listSchema = (resource: Resource): z.ZodType =>
  z.strictObject({
    items: z.array(recordSchema(resource)),
    count: z.int().min(0),
    totalCount: z.int().min(0).optional(),
    nextCursor: z.string().nullable().optional(),
    meta: z.record(z.string(), z.union([z.int(), z.boolean()])).optional(),
  })

function faultOf(
  { fields, relationships, permissions }: Resource,
  name: string,
  value: Value,
): string | undefined {
  if (relationships.has(name) || name === PERMISSIONS)
    return typeof value === 'object' ? undefined : 'is no embedded record'
  const field = fields.get(name)
  if (field === undefined) return 'is no field of the resource'
  if (!field.compiled.type.readable) return 'is never shown'
  if (value === null || (value === MASK && permissions.fields?.[name]?.mask === true)) return undefined
  const checked = field.compiled.check(value)
  return 'value' in checked ? undefined : checked.faults.map(sentenceOf).join('; ')
}
