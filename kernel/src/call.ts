import type { Action, Call, CallAction } from './action.ts'
import type { Actions } from './actions.ts'
import { type Body, CappedBody, NO_BODY, type SentBody } from './body.ts'
import type { Caller } from './caller.ts'
import { AppError, errors, type FieldError } from './errors.ts'
import type { Inbound } from './inbound.ts'
import { ignoredBy } from './list-query.ts'
import { JsonText, Reply, type Warning } from './reply.ts'
import type { Around, Spans } from './spans.ts'
import { takesQuery } from './takes-query.ts'
import type { z } from 'zod'

/** Who calls, from where, and where warnings go. */
export interface RunContext {
  readonly caller: Caller
  readonly requestId: string
  readonly request?: Inbound
  /** 0 unless said. */
  readonly depth?: number
  readonly body?: Body | undefined
  /** Asked only when a handler asks: making a signal costs more than a small request. */
  readonly signal?: () => AbortSignal
  warn(warning: Warning): void
  attribute?(username: string): void
}

/** The one place where handlers are called; the pipeline and internal callers share it. */
export interface Runner {
  /** Parses the input once and calls the handler; answers what it answers. */
  begin(action: Action, input: unknown, context: RunContext): unknown
  /** What a handler answered, as a Reply. */
  replyOf(action: Action, result: unknown): Reply
  /** `depth` is how many pieces of work have set the call off, one the other. */
  callAs(caller: Caller, depth?: number): CallAction
}

export interface RunnerOptions {
  readonly actions: Actions
  readonly spans: Spans
  /** Check every reply against the action's output schema. */
  readonly checkReplies: boolean
  readonly newRequestId: () => string
}

const never = new AbortController().signal

/** Makes the runner. */
export function createRunner(options: RunnerOptions): Runner {
  const { spans } = options
  const begin: Runner['begin'] = (action, input, context) =>
    spans.observer === undefined
      ? run(action, input, context)
      : observed(spans.observer, action, input, context)

  // Apart: a function that may make a closure pays for what it would hold each time that it is called.
  const observed = (observer: Around, ...[action, input, context]: Parameters<Runner['begin']>): unknown =>
    observer(`action.${action.name}`, { requestId: context.requestId }, () => run(action, input, context))

  const run: Runner['begin'] = (action, input, context) => {
    const parsed = action.input === undefined ? input : parseInput(action, action.input, input, context)
    return action.handle(parsed, new RunningCall(context, callAs))
  }

  const replyOf: Runner['replyOf'] = (action, result) => {
    const reply = result instanceof Reply ? result : new Reply({ data: result })
    if (options.checkReplies && action.output !== undefined) checkReply(action, reply)
    return reply
  }

  const callAs = (caller: Caller, depth: number, outer?: RunContext): CallAction =>
    (async (name: string, input: unknown, sent?: SentBody) => {
      const action = options.actions.find(name)
      if (!action) throw errors.NOT_FOUND({ message: `No action is named '${name}'` })
      const context = {
        caller,
        requestId: outer?.requestId ?? options.newRequestId(),
        depth,
        ...(sent && { body: taken(action, sent) }),
        ...(outer?.signal && { signal: outer.signal }),
        warn: outer?.warn ?? (() => undefined),
      }
      return dataOf(replyOf(action, await begin(action, input, context)))
    }) as CallAction

  return { begin, replyOf, callAs: (caller, depth = 0) => callAs(caller, depth) }
}

function taken({ name, rawBody }: Action, sent: SentBody): Body {
  if (rawBody === undefined) throw new Error(`the action '${name}' takes no bytes: it has no 'rawBody'`)
  return new CappedBody(sent, rawBody.bytes)
}

type CallAsWithin = (caller: Caller, depth: number, context: RunContext) => CallAction

/** A class and no literal: a getter in a literal gives every object a shape of its own, which is never cheap. */
class RunningCall implements Call {
  readonly caller: Caller
  readonly body: Body
  readonly request: Inbound | undefined
  readonly requestId: string
  readonly depth: number
  readonly warn: Call['warn']
  readonly #context: RunContext
  readonly #callAs: CallAsWithin

  constructor(context: RunContext, callAs: CallAsWithin) {
    this.caller = context.caller
    this.body = context.body ?? NO_BODY
    this.request = context.request
    this.requestId = context.requestId
    this.depth = context.depth ?? 0
    this.warn = context.warn
    this.#context = context
    this.#callAs = callAs
  }

  attribute(username: string): void {
    this.#context.attribute?.(username)
  }

  get call(): CallAction {
    return this.#callAs(this.caller, this.depth, this.#context)
  }

  get signal(): AbortSignal {
    return this.#context.signal?.() ?? never
  }
}

function dataOf(reply: Reply): unknown {
  if (reply.content !== undefined) return reply.content.body
  return reply.data instanceof JsonText ? JSON.parse(reply.data.text) : reply.data
}

function parseInput(
  action: Action,
  schema: z.ZodType,
  input: unknown,
  { request, warn }: RunContext,
): unknown {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  const faults = result.error.issues.flatMap(fieldErrors)
  if (request === undefined || !takesQuery(action)) throw errors.VALIDATION_ERROR({ errors: faults })
  const { known, ignored } = withoutUnknown(input, faults, request)
  if (ignored.length === 0) throw refusal(faults, request)
  const again = schema.safeParse(known, { reportInput: true })
  if (!again.success) throw refusal(again.error.issues.flatMap(fieldErrors), request)
  const ignore = ignoredBy(request.meta('prefer'), warn)
  for (const name of ignored) ignore('query', name)
  return again.data
}

/** The input without what a query says in vain. */
function withoutUnknown(input: unknown, faults: readonly FieldError[], { query, params }: Inbound) {
  const ignored = faults
    .filter(
      ({ field, rule }) => rule === 'unknown' && Object.hasOwn(query, field) && !Object.hasOwn(params, field),
    )
    .map(({ field }) => field)
  const known = Object.fromEntries(Object.entries(input ?? {}).filter(([name]) => !ignored.includes(name)))
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

function checkReply(action: Action, reply: Reply): void {
  if (reply.content !== undefined || reply.status === 204 || reply.status === 304) return
  const result = action.output!.safeParse(dataOf(reply))
  if (result.success) return
  const first = result.error.issues[0]
  throw new AppError(
    'RESPONSE_VALIDATION_FAILED',
    500,
    `The answer of '${action.name}' does not match its schema at '${first?.path.join('.')}': ${first?.message}`,
  )
}
