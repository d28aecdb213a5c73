import type { Action } from './action.ts'
import { answerError, type ErrorReporting } from './envelope.ts'
import type { CappedBody } from './body.ts'
import type { Bus } from './bus.ts'
import type { Runner } from './call.ts'
import { ANONYMOUS, type Caller, CallerChanged } from './caller.ts'
import { AppError, errors } from './errors.ts'
import type { Exchange, Step } from './exchange.ts'
import type { Inbound } from './inbound.ts'
import type { Logger } from './log.ts'
import type { Answer, Reply } from './reply.ts'
import { enabled } from './steps/enabled.ts'
import { handle } from './steps/handle.ts'
import { respond } from './steps/respond.ts'
import { validate } from './steps/validate.ts'
import type { Around, SpanFacts, Spans } from './spans.ts'
import { Warnings } from './warnings.ts'

/** The steps of every message, in order; each may refuse it, and then the later ones do not run. */
export const STEPS = [
  'rateLimit', // before anything costs something
  'validate', // the body is read and well formed
  'enabled', // the action is switched on
  'authenticate', // who calls
  'authorize', // may this caller run this action
  'audit', // the run is put on record
  'handle', // the action itself
  'respond', // its reply becomes an answer
] as const

/** What is refused before this step is not put on record: a line of the log tells of it. */
const AUDIT = STEPS.indexOf('audit')

export type Slot = 'rateLimit' | 'authenticate' | 'authorize' | 'audit'

/** The fixed way of every message from a transport to an action and back. */
export interface Pipeline {
  /** Fills a slot; each takes one step only. */
  fill(slot: Slot, step: Step): void
  /** Takes one message through all steps, at once where none of them waits. Never fails: errors become answers. */
  run(action: Action, request: Inbound): Answer | Promise<Answer>
}

export interface PipelineOptions extends ErrorReporting {
  readonly spans: Spans
  readonly runner: Pick<Runner, 'begin' | 'replyOf'>
  readonly bus: Bus
}

/** Makes the pipeline with its slots empty: nobody is known, and public actions alone are open. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const filled = new Map<Slot, Step>()
  const emptySlots: Record<Slot, Step> = {
    rateLimit: () => undefined,
    authenticate: () => undefined,
    authorize: publicOnly,
    audit: () => undefined,
  }
  const own: Record<Exclude<(typeof STEPS)[number], Slot>, Step> = {
    validate,
    enabled,
    handle: handle(options.runner),
    respond: respond(options),
  }
  const stepOf = (name: (typeof STEPS)[number]): Step =>
    name in own ? own[name as keyof typeof own] : (filled.get(name as Slot) ?? emptySlots[name as Slot])
  const { spans } = options
  let steps = STEPS.map(stepOf)
  let observed: readonly Step[] | undefined

  return {
    fill(slot, step) {
      if (filled.has(slot)) throw new Error(`the pipeline slot '${slot}' is filled already`)
      filled.set(slot, step)
      steps = STEPS.map(stepOf)
      observed = undefined
    },
    run(action, request) {
      const { observer } = spans
      if (observer === undefined) return take(steps, action, request, options)
      observed ??= observedSteps(steps, observer)
      return takeObserved(observer, observed, action, request, options)
    },
  }
}

const observedSteps = (steps: readonly Step[], observer: Around): readonly Step[] =>
  steps.map((step, at) => observedStep(STEPS[at]!, step, observer))

/** Apart: a function that may make a closure pays for what it would hold each time that it is called. */
const takeObserved = (
  observer: Around,
  ...[steps, action, request, options]: Parameters<typeof take>
): Answer | Promise<Answer> =>
  observer('request', factsOf(action, request), () => take(steps, action, request, options))

function take(
  steps: readonly Step[],
  action: Action,
  request: Inbound,
  options: PipelineOptions,
): Answer | Promise<Answer> {
  const exchange = new OpenExchange(action, request)
  // By their places: what iterates over a list is made anew for every message.
  for (let at = 0; at < steps.length;) {
    try {
      const pending = begin(steps, at, exchange)
      if (pending !== undefined) return takeOn({ pending, at, steps, exchange, options })
      at += 1
    } catch (error) {
      at = goOnAfter(error, at, exchange, options)
    }
  }
  return exchange.close(options)
}

/** A message whose step at `at` waits. */
interface Waiting {
  readonly pending: Promise<void>
  readonly at: number
  readonly steps: readonly Step[]
  readonly exchange: OpenExchange
  readonly options: PipelineOptions
}

/** Takes a message that waits through the rest of the steps. */
async function takeOn({ pending: first, at: from, steps, exchange, options }: Waiting): Promise<Answer> {
  let pending: void | Promise<void> = first
  for (let at = from; at < steps.length;) {
    try {
      if (pending !== undefined) await pending
      at += 1
      pending = at < steps.length ? begin(steps, at, exchange) : undefined
    } catch (error) {
      at = goOnAfter(error, at, exchange, options) - 1
      pending = undefined
    }
  }
  return exchange.close(options)
}

function begin(steps: readonly Step[], at: number, exchange: OpenExchange): void | Promise<void> {
  if (at === AUTHENTICATE) exchange.meet()
  return steps[at]!(exchange)
}

/** Which step follows one that failed: none, unless the message is taken anew. */
function goOnAfter(error: unknown, at: number, exchange: OpenExchange, options: PipelineOptions): number {
  if (error instanceof CallerChanged && exchange.meetAgain()) return AUTHENTICATE
  exchange.answer = answerError(error, exchange, options)
  if (at < AUDIT) logRefusal(error, exchange, options.log)
  return STEPS.length
}

const observedStep =
  (name: string, step: Step, around: Around): Step =>
  (exchange) =>
    around(`step.${name}`, NO_FACTS, () => step(exchange))

const NO_FACTS: SpanFacts = Object.freeze({})

/** What names a message: the trace that it belongs to where its sender keeps one (W3C Trace Context). */
function factsOf({ name }: Action, { id, transport, meta }: Inbound): SpanFacts {
  const traceparent = meta('traceparent')
  const tracestate = meta('tracestate')
  return {
    action: name,
    requestId: id,
    transport,
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
  }
}

/** From here on a message is taken anew where its caller has changed. */
const AUTHENTICATE = STEPS.indexOf('authenticate')
/** How often a message is taken in all. */
const MEETINGS = 3

class OpenExchange implements Exchange {
  readonly request: Inbound
  readonly action: Action
  readonly startedAt = performance.now()
  readonly headers: Record<string, string>
  warnings = new Warnings()
  caller: Caller = ANONYMOUS
  attributedTo: string | undefined = undefined
  body: unknown = undefined
  rawBody: CappedBody | undefined = undefined
  reply: Reply | undefined = undefined
  refusal: AppError | undefined = undefined
  answer: Answer | undefined = undefined
  readonly #listeners: ((answer: Answer, durationMs: number) => void)[] = []
  #meetings = 0
  /** How many listeners there were before the caller was asked for. */
  #heard = 0

  constructor(action: Action, request: Inbound) {
    this.action = action
    this.request = request
    this.headers = { ...action.headers }
  }

  /** Takes note that the caller is asked for now. */
  meet(): void {
    this.#meetings += 1
    this.#heard = this.#listeners.length
  }

  /** Forgets what came of a caller who has changed; false where that has happened too often, or bytes were read that do not come again. */
  meetAgain(): boolean {
    if (this.#meetings === MEETINGS || this.rawBody?.isBegun) return false
    this.#listeners.length = this.#heard
    this.warnings = new Warnings()
    this.caller = ANONYMOUS
    this.attributedTo = undefined
    return true
  }

  onAnswer(listener: (answer: Answer, durationMs: number) => void): void {
    this.#listeners.push(listener)
  }

  close(options: PipelineOptions): Answer {
    const { bus, log } = options
    const answer = this.answer ?? answerError(new Error('no step made an answer'), this, options)
    const durationMs = performance.now() - this.startedAt
    for (const listener of this.#listeners) tell(listener, answer, durationMs, log)
    const { action, request } = this
    request.identified?.(this.caller)
    if (bus.hears('request.completed')) {
      bus.emit('request.completed', {
        requestId: request.id,
        action: action.name,
        transport: request.transport,
        status: answer.status,
        durationMs,
      })
    }
    return answer
  }
}

function tell(listener: (answer: Answer, ms: number) => void, answer: Answer, ms: number, log: Logger): void {
  try {
    listener(answer, ms)
  } catch (error) {
    log.error({ err: error }, 'pipeline.listener_failed')
  }
}

function logRefusal(error: unknown, { action, body, caller, request }: Exchange, log: Logger): void {
  const { remote, id: requestId } = request
  const code = error instanceof AppError ? error.code : 'INTERNAL_ERROR'
  const username = caller.username ?? action.subject?.(body)
  log.info({ code, action: action.name, remote, requestId, ...(username && { username }) }, 'request.refused')
}

/** What stands in the authorize slot until a plugin fills it. */
function publicOnly({ action }: Exchange): void {
  if (action.access !== 'record' && action.access.includes('*')) return
  throw errors.UNAUTHORIZED()
}
