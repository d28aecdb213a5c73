import type { z } from 'zod'
import type { Action, Call } from './action.ts'
import { type AppError, errors, type FieldError } from './errors.ts'
import type { Inbound } from './inbound.ts'
import { ignoredBy } from './list-query.ts'
import { takesQuery } from './takes-query.ts'

/**
 * Parses the input of an action. Throws INVALID_QUERY for what a query says wrong, where the input is made of it, and
 * VALIDATION_ERROR for all else; what the query says in vain is ignored, and warned of.
 */
export function parseInput(
  action: Action,
  schema: z.ZodType,
  input: unknown,
  { request, warn }: Partial<Pick<Call, 'request'>> & Pick<Call, 'warn'>,
): unknown {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) {
    if (request !== undefined) tellIgnored(action, schema, { request, warn })
    return result.data
  }
  const faults = result.error.issues.flatMap(fieldErrors)
  if (request === undefined || !takesQuery(action)) throw errors.VALIDATION_ERROR({ errors: faults })
  const { known, ignored } = withoutUnknown(input, faults, request)
  if (ignored.size === 0) throw refusal(faults, request)
  const again = schema.safeParse(known, { reportInput: true })
  if (!again.success) throw refusal(again.error.issues.flatMap(fieldErrors), request)
  const ignore = ignoredBy(request.meta('prefer'), warn)
  for (const name of ignored) ignore('query', name)
  return again.data
}

/** Tells what the query of an action says that its schema takes out without a word. */
function tellIgnored(
  action: Action,
  schema: z.ZodType,
  { request, warn }: Pick<Call, 'warn'> & { request: Inbound },
) {
  if (!takesQuery(action) || !isObject(schema) || schema.def.catchall !== undefined) return
  const inVain = Object.keys(request.query).filter((name) => !Object.hasOwn(schema.shape, name))
  if (inVain.length === 0) return
  const ignore = ignoredBy(request.meta('prefer'), warn)
  for (const name of inVain) ignore('query', name)
}

const isObject = (schema: z.ZodType): schema is z.ZodObject => schema.def.type === 'object'

/** The input without what a query says in vain. */
function withoutUnknown(input: unknown, faults: readonly FieldError[], { query, params }: Inbound) {
  const isInVain = ({ field, rule }: FieldError) =>
    rule === 'unknown' && Object.hasOwn(query, field) && !Object.hasOwn(params, field)
  const ignored = new Set(faults.filter(isInVain).map(({ field }) => field))
  const known = Object.fromEntries(Object.entries(input ?? {}).filter(([name]) => !ignored.has(name)))
  return { known, ignored }
}

/** What is wrong with an input that is made of a path and a query; a fault of the query comes first. */
function refusal(faults: readonly FieldError[], { params }: Inbound): AppError {
  const asked = faults.filter(({ field }) => !Object.hasOwn(params, field.split('.')[0]!))
  if (asked.length === 0) return errors.VALIDATION_ERROR({ errors: faults })
  const told = asked.map(({ field, message }) =>
    message.startsWith(`'${field}'`) ? message : `'${field}': ${message}`,
  )
  return errors.INVALID_QUERY({ message: told.join('; ') })
}

/** zod's issue codes in the words of the error shape. */
const RULES: Record<string, string> = {
  invalid_type: 'type',
  unrecognized_keys: 'unknown',
  too_small: 'min',
  too_big: 'max',
  invalid_format: 'format',
  invalid_value: 'enum',
}

/** Codes of issues with what is not there. */
const MISSING: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value'])

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...issue.path, key].join('.'),
      rule: 'unknown',
      message: `'${key}' is not known here`,
      params: { name: key },
    }))
  }
  const field = issue.path.join('.')
  const missing = MISSING.has(issue.code) && issue.input === undefined
  return [
    {
      field,
      message: missing ? `'${field}' is required` : issue.message,
      rule: missing ? 'required' : ruleOf(issue),
      params: paramsOf(issue),
    },
  ]
}

/** What a message about an issue is made of: the limit, the type or the values that were asked for. */
function paramsOf(issue: z.core.$ZodIssue): NonNullable<FieldError['params']> {
  if (issue.code === 'too_small') return { limit: issue.minimum }
  if (issue.code === 'too_big') return { limit: issue.maximum }
  if (issue.code === 'invalid_format' && issue.format === 'regex') return { pattern: issue.pattern ?? '' }
  if (issue.code === 'invalid_type') return { type: issue.expected }
  return issue.code === 'invalid_value' ? { values: issue.values } : {}
}

function ruleOf(issue: z.core.$ZodIssue): string {
  if ((issue.code === 'too_small' || issue.code === 'too_big') && issue.origin === 'string') {
    return issue.code === 'too_small' ? 'minLength' : 'maxLength'
  }
  if ((issue.code === 'too_small' || issue.code === 'too_big') && issue.origin === 'array') return 'items'
  if (issue.code === 'invalid_format' && issue.format === 'regex') return 'pattern'
  return RULES[issue.code] ?? 'format'
}
