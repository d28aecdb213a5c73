import type { Action, Call, CallAction } from './action.ts'
import type { Actions } from './actions.ts'
import { type Body, CappedBody, NO_BODY, type SentBody } from './body.ts'
import type { Caller } from './caller.ts'
import { AppError, errors, unlessRefused } from './errors.ts'
import type { Inbound } from './inbound.ts'
import { parseInput } from './parse-input.ts'
import { LONG_TEXT } from './long-text.ts'
import { isPending } from './pending.ts'
import { JsonText, Reply, type Warning } from './reply.ts'
import type { Around, Spans } from './spans.ts'

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
  /** What a handler answered, as a Reply, or what it refused the message with. */
  replyOf(action: Action, result: unknown): Reply | AppError
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
    observer(`action.${action.name}`, { requestId: context.requestId }, () => {
      const result = run(action, input, context)
      return isPending(result) ? Promise.resolve(result).then(unlessRefused) : unlessRefused(result)
    })

  const run: Runner['begin'] = (action, input, context) => {
    const parsed = action.input === undefined ? input : parseInput(action, action.input, input, context)
    return action.handle(parsed, new RunningCall(context, callAs))
  }

  const replyOf: Runner['replyOf'] = (action, result) => {
    if (!(result instanceof Reply) && result instanceof AppError) return result
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
      return dataOf(unlessRefused(replyOf(action, await begin(action, input, context))))
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

function checkReply(action: Action, reply: Reply): void {
  if (reply.content !== undefined || reply.status === 204 || reply.status === 304) return
  // To read what is long once more would keep everybody waiting.
  if (reply.data instanceof JsonText && reply.data.length > LONG_TEXT) return
  const result = action.output!.safeParse(dataOf(reply))
  if (result.success) return
  const first = result.error.issues[0]
  throw new AppError(
    'RESPONSE_VALIDATION_FAILED',
    500,
    `The answer of '${action.name}' does not match its schema at '${first?.path.join('.')}': ${first?.message}`,
  )
}
