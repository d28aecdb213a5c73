import type { Action, Call, CallAction } from './action.ts'
import type { Actions } from './actions.ts'
import type { Caller } from './caller.ts'
import { AppError, errors, type FieldError } from './errors.ts'
import type { Inbound } from './pipeline.ts'
import { JsonText, Reply, type Warning } from './reply.ts'
import type { z } from 'zod'

/** Who calls, from where, and where warnings go. */
export interface RunContext {
  readonly caller: Caller
  readonly requestId: string
  readonly request?: Inbound
  /** Asked only when a handler asks: making a signal costs more than a small request. */
  readonly signal?: () => AbortSignal
  warn(warning: Warning): void
}

/** Runs one action: its input is parsed once, its handler runs, its output becomes a Reply. */
export type RunAction = (action: Action, input: unknown, context: RunContext) => Promise<Reply>

export interface RunnerOptions {
  readonly actions: Actions
  /** Check every reply against the action's output schema. */
  readonly checkReplies: boolean
  readonly newRequestId: () => string
}

const never = new AbortController().signal

/** The one place where handlers are called; the pipeline and internal callers share it. */
export function createRunner(options: RunnerOptions): {
  run: RunAction
  callAs: (caller: Caller) => CallAction
} {
  const run: RunAction = async (action, input, context) => {
    const parsed = action.input === undefined ? input : parseInput(action.input, input)
    const result = await action.handle(parsed, callOf(context))
    const reply = result instanceof Reply ? result : new Reply({ data: result })
    if (options.checkReplies && action.output !== undefined) checkReply(action, reply)
    return reply
  }

  const callAs = (caller: Caller, outer?: RunContext): CallAction =>
    (async (name: string, input: unknown) => {
      const action = options.actions.find(name)
      if (!action) throw errors.NOT_FOUND({ message: `No action is named '${name}'` })
      const context = {
        caller,
        requestId: outer?.requestId ?? options.newRequestId(),
        ...(outer?.signal && { signal: outer.signal }),
        warn: outer?.warn ?? (() => undefined),
      }
      return dataOf(await run(action, input, context))
    }) as CallAction

  const callOf = (context: RunContext): Call => new RunningCall(context, callAs(context.caller, context))

  return { run, callAs: (caller) => callAs(caller) }
}

/** A class and no literal: a getter in a literal gives every object a shape of its own, which is never cheap. */
class RunningCall implements Call {
  readonly caller: Caller
  readonly call: CallAction
  readonly request: Inbound | undefined
  readonly requestId: string
  readonly warn: Call['warn']
  readonly #signal: RunContext['signal']

  constructor({ caller, request, requestId, signal, warn }: RunContext, call: CallAction) {
    this.caller = caller
    this.call = call
    this.request = request
    this.requestId = requestId
    this.warn = warn
    this.#signal = signal
  }

  get signal(): AbortSignal {
    return this.#signal?.() ?? never
  }
}

function dataOf(reply: Reply): unknown {
  if (reply.content !== undefined) return reply.content.body
  return reply.data instanceof JsonText ? JSON.parse(reply.data.text) : reply.data
}

function parseInput(schema: z.ZodType, input: unknown): unknown {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  throw errors.VALIDATION_ERROR({ errors: result.error.issues.flatMap(fieldErrors) })
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

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      field: [...issue.path, key].join('.'),
      rule: 'unknown',
      message: `'${key}' is not known here`,
    }))
  }
  const field = issue.path.join('.')
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  return [
    {
      field,
      message: missing ? `'${field}' is required` : issue.message,
      rule: missing ? 'required' : ruleOf(issue),
    },
  ]
}

function ruleOf(issue: z.core.$ZodIssue): string {
  if ((issue.code === 'too_small' || issue.code === 'too_big') && issue.origin === 'string') {
    return issue.code === 'too_small' ? 'minLength' : 'maxLength'
  }
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
