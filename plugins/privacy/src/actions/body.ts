import { errors, type FieldError } from '@svc/kernel'
import type { z } from 'zod'

const MAX_REASON = 500

/** A body as its schema has it. Throws VALIDATION_ERROR for what it does not know, and for every fault in it. */
export function bodyOf<T>(schema: z.ZodType<T>, sent: unknown): T {
  const read = schema.safeParse(sent ?? {})
  if (read.success) return read.data
  return refuse(
    read.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => fault([...issue.path, key].join('.'), 'unknown', `There is no '${key}'`))
        : [fault(issue.path.join('.'), issue.code === 'invalid_value' ? 'enum' : 'type', issue.message)],
    ),
  )
}

export const fault = (field: string, rule: string, message: string): FieldError => ({ field, rule, message })

export function refuse(faults: readonly FieldError[]): never {
  throw errors.VALIDATION_ERROR({ errors: faults })
}

/** Why something is done: required, but for a dry run. */
export function reasonOf(reason: string | undefined, isOptional = false): string | undefined {
  if (reason === undefined && isOptional) return undefined
  const length = Array.from(reason ?? '').length
  if (reason === undefined) refuse([fault('reason', 'required', 'Say why')])
  if (length === 0 || length > MAX_REASON)
    refuse([fault('reason', 'length', `Say why, in 1 to ${MAX_REASON} characters`)])
  return reason
}
