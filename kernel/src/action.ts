import type { z } from 'zod'
import type { Body, RawBody, SentBody } from './body.ts'
import type { Caller } from './caller.ts'
import type { AppError, Detail, FieldError } from './errors.ts'
import type { Inbound } from './inbound.ts'
import type { Reply, Warning } from './reply.ts'
import type { Route } from './route.ts'

/**
 * The input and output of actions with a fixed name; contracts add `'auth.login': { input: …; output: … }`
 * by declaration merging, so that callers are checked without importing the handler.
 */
export interface ActionMap {}

export type ActionName = keyof ActionMap | (string & {})
export type Input<N> = N extends keyof ActionMap
  ? ActionMap[N] extends { input: infer I }
    ? I
    : unknown
  : unknown
export type Output<N> = N extends keyof ActionMap
  ? ActionMap[N] extends { output: infer O }
    ? O
    : unknown
  : unknown

/**
 * Who may run an action: `['*']` everybody, `['authenticated']` any signed-in caller, otherwise callers with
 * one of the roles; `[]` nobody. `'record'` lets every signed-in caller reach the handler, which decides with
 * the record at hand.
 */
export type ActionAccess = readonly string[] | 'record'

/** Runs another action inside the process, past the pipeline; answers its data. `body` is for one with `rawBody`. */
export type CallAction = <N extends ActionName>(
  name: N,
  input: Input<N>,
  body?: SentBody,
) => Promise<Output<N>>

/** What a handler knows of the run that it serves. */
export interface Call {
  readonly caller: Caller
  /** Calls a further action on behalf of the same caller. */
  readonly call: CallAction
  /** The bytes that an action with `rawBody` was sent; none for any other. */
  readonly body: Body
  /** The message that a transport brought; undefined where the process called itself. */
  readonly request: Inbound | undefined
  readonly requestId: string
  /** How many pieces of work have set this call off, one the other: 0 for what a client asked for. */
  readonly depth: number
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Adds to the answer's `warnings`. */
  warn(warning: Warning): void
  /** Puts the message on record under a username: who signs in is nobody yet when the message comes. */
  attribute(username: string): void
}

/** What an action says of its answers, whatever they are. */
export interface Telling {
  /** Facts for the `_meta` of answers in an envelope; those of a reply or an error win. */
  readonly meta: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

/** A named thing that the server can do. */
export interface Action<I = any, O = any> {
  readonly name: string
  /** One sentence for documents. */
  readonly summary?: string
  readonly access: ActionAccess
  /** Checked before the handler runs; absent where the handler compiles its own check. */
  readonly input?: z.ZodType<I>
  /** Checked after the handler where the kernel was told to check replies. */
  readonly output?: z.ZodType<O>
  readonly routes?: readonly Route[]
  /**
   * Makes the input of a transport's message; absent: one object of the path's parameters and the body's, of an action
   * whose routes are all GET, or with `rawBody`, the path's and the query's.
   */
  readonly bind?: (request: Inbound, body: unknown) => unknown
  /** Takes the body as the bytes that it is (`call.body`), which are read when the handler asks for them; as JSON unless said. */
  readonly rawBody?: RawBody
  /** The name of whom a message is about where that is not its caller, as of a sign-in; for logs, of any body. */
  readonly subject?: (body: unknown) => string | undefined
  /**
   * Says what is wrong with an input in other words than the kernel's: asked about the faults of a refusal that still
   * have their `params`, with the message that is answered.
   */
  readonly localize?: (faults: readonly FieldError[], request: Inbound) => Detail
  /** What every answer to a message says besides, an error's too: it is made at once, and throws nothing. */
  readonly tells?: (request: Inbound) => Telling
  /** False hides the action: its routes answer NOT_FOUND. */
  readonly enabled?: () => boolean
  /** Sent with every answer of the action, an error's too. */
  readonly headers?: Readonly<Record<string, string>>
  /** Facts for documents, by the name of the reader; the kernel does not look inside. */
  readonly notes?: Readonly<Record<string, unknown>>
  handle(input: I, call: Call): Handled<O> | Promise<Handled<O>>
}

/**
 * What a handler answers. An AppError that it answers refuses the message as one that it throws; what is refused often is better
 * answered, for to throw takes longer than most handlers.
 */
export type Handled<O> = O | Reply<O> | AppError

/** Gives `action` the types of its schemas; returns it as it is. */
export function defineAction<I = any, O = any>(action: Action<I, O>): Action<I, O> {
  return action
}
