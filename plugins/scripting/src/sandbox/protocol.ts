/** What a sandbox is made of. */
export interface SandboxOptions {
  /** The script's file name, as its errors show it. */
  readonly file: string
  readonly source: string
  readonly memoryMb: number
}

/** One stretch of work: the script runs until all of it waits. `ms` is how much processor time it may take. */
export type Job =
  | { readonly kind: 'load'; readonly ms: number }
  | {
      readonly kind: 'start'
      readonly ms: number
      /** The handler's place among the registrations. */
      readonly handler: number
      readonly run: number
      /** JSON. */
      readonly event: string
    }
  | {
      readonly kind: 'resume'
      readonly ms: number
      readonly call: number
      readonly ok: boolean
      /** JSON: the action's data, or its error. */
      readonly result: string
    }

/** One `on(…)` of a script. */
export interface Registration {
  readonly name: string
  /** The user whose rights the handler has; null: the system. */
  readonly as: string | null
}

/** A handler has come to its end. */
export interface Settled {
  readonly run: number
  readonly ok: boolean
  /** JSON of what it returned, undefined for nothing; or the reason why it failed. */
  readonly text: string | undefined
}

/** A handler asks for an action. */
export interface Called {
  readonly run: number
  readonly call: number
  readonly action: string
  /** JSON. */
  readonly input: string | undefined
}

export type LogLevel = 'info' | 'warn' | 'error'

/** Why a sandbox cannot go on. */
export type Ending = 'time' | 'memory' | 'crash'

/** The first message of a thread: it is there, and `clock` is where its processor time is counted. */
export interface Hello {
  readonly clock: string | undefined
}

/** What came of a job. */
export interface Report {
  /** The processor time that it took, in milliseconds. */
  readonly used: number
  readonly registrations: readonly Registration[]
  readonly settled: readonly Settled[]
  readonly called: readonly Called[]
  readonly logged: readonly { readonly level: LogLevel; readonly message: string }[]
  /** Log messages past the limit. */
  readonly unlogged: number
  /** Why the script could not be loaded, with its line. */
  readonly fault?: string
  /** The sandbox is of no use any more. */
  readonly ended?: Ending
}
