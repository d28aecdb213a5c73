import type { z } from 'zod'
import type { CallAction } from './action.ts'
import type { Actions } from './actions.ts'
import type { Bus } from './bus.ts'
import type { Caller } from './caller.ts'
import type { Capability } from './capability.ts'
import type { Environment } from './environment.ts'
import type { Host } from './host.ts'
import type { ListeningPlace } from './listening.ts'
import type { Logger } from './log.ts'
import type { Phase } from './phase.ts'
import type { Pipeline } from './pipeline.ts'
import type { Redaction } from './redaction.ts'
import type { Spans } from './spans.ts'

export type Close = () => void | Promise<void>
/** How something ends. */
export interface Ending {
  /** The most that it may take, in milliseconds, before the others get their turn; ten seconds unless said. */
  readonly patienceMs?: number
}

export type Needs = Readonly<Record<string, Capability<any>>>
type Given<N extends Needs> = { readonly [K in keyof N]: N[K]['T'] }
type Maybe<N extends Needs> = { readonly [K in keyof N]: N[K]['T'] | undefined }

/** What every plugin is handed at set-up. */
export interface Context {
  readonly log: Logger
  readonly env: Environment
  readonly actions: Actions
  readonly bus: Bus
  readonly pipeline: Pipeline
  /** Calls an action as the system. */
  readonly call: CallAction
  /**
   * Calls actions as `caller`; whether that caller may run them is the asking plugin's to decide. Who calls since it heard
   * of something says as `depth` one more than the depth of that, so that what goes in a circle comes to an end.
   */
  callAs(caller: Caller, depth?: number): CallAction
  readonly host: Host
  readonly spans: Spans
  /** Takes secrets out of what is shown, logged or kept. */
  readonly redaction: Redaction
  /** Says where this plugin takes connections from outside; the returned function takes that back. */
  listens(place: ListeningPlace): Close
  /** Begins taking work once every plugin is set up, transports last; what it returns ends that, transports first, within `ending`. */
  onOpen(open: () => void | Close | Promise<void | Close>, ending?: Ending): void
  /** Lets go of what set-up took; runs after everything is closed, in reverse order of set-up. */
  onStop(release: Close, ending?: Ending): void
  /** Names something that this plugin needs from outside the process; `check` rejects while it is out of reach. */
  probe(name: string, check: () => Promise<void>): void
}

/** What every plugin is handed for its check: nothing is set up yet. */
export type CheckContext = Pick<Context, 'log' | 'env' | 'host'>

/** What a plugin says of itself, without the types of its services. */
export interface Plugin {
  readonly name: string
  readonly phase: Phase
  /** The configuration section; the plugin's name unless said. */
  readonly section?: string
  readonly config?: z.ZodType
  readonly requires?: Needs
  readonly optional?: Needs
  readonly provides?: Capability<any>
  check?(context: any): void | Promise<void>
  setup(context: any): unknown
}

export interface PluginSpec<C extends z.ZodType, R extends Needs, O extends Needs, P> {
  readonly name: string
  readonly phase: Phase
  readonly section?: string
  /** A strict schema of the plugin's configuration section; without it the plugin takes no configuration. */
  readonly config?: C
  /** Services that must be there: a missing, later or circular one ends the start. */
  readonly requires?: R
  /** Services that are used where some plugin provides them. */
  readonly optional?: O
  /** The service that `setup` returns. */
  readonly provides?: Capability<P>
  /**
   * Makes sure that what the configuration names outside the process can be used: files are read, folders can be
   * written, addresses are free. Runs for every plugin before the first is set up, and changes nothing. What it
   * throws ends the start.
   */
  check?(context: CheckContext & { readonly config: z.output<C> }): void | Promise<void>
  setup(
    context: Context & Given<R> & Maybe<O> & { readonly config: z.output<C> },
  ): NoInfer<P> | Promise<NoInfer<P>>
}

/** Declares a plugin; its services arrive as named, typed properties of the context. */
export function definePlugin<
  C extends z.ZodType = z.ZodUndefined,
  R extends Needs = {},
  O extends Needs = {},
  P = void,
>(spec: PluginSpec<C, R, O, P>): Plugin {
  return Object.freeze({ ...spec })
}
