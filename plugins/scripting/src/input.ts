import { type Action, errors } from '@svc/kernel'
import { z } from 'zod'

/** Paths and query strings are text; a script may write numbers and truth values too. */
const textual = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const texts = z.record(z.string(), textual)
const anything = z.looseObject({})
const recordInput = z.looseObject({
  id: textual.optional(),
  query: texts.optional(),
  path: texts.optional(),
})

/** Brings what a script hands to `call` into the form that the action takes. Throws VALIDATION_ERROR. */
export const inputOf = ({ notes }: Action, given: unknown): unknown =>
  checked(notes !== undefined && 'record' in notes ? recordInput : anything, given)

/** What a schema makes of a value. Throws VALIDATION_ERROR with every fault. */
function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw errors.VALIDATION_ERROR({
    errors: result.error.issues.map(({ path, message }) => ({
      field: path.join('.'),
      rule: 'type',
      message,
    })),
  })
}
