import type { ListeningPlace } from './listening.ts'
import type { Phase } from './phase.ts'

export type PluginStatus = 'loaded' | 'ready' | 'failed' | 'stopped'

export interface PluginState {
  readonly name: string
  readonly phase: Phase
  readonly status: PluginStatus
}

/** What a probe found: `error` says why the thing is out of reach. */
export interface ProbeResult {
  readonly name: string
  readonly ok: boolean
  readonly error?: string
}

/** The build that is running. */
export interface Release {
  readonly version: string
  readonly build: string
  readonly commit: string
}

/** The process that the plugins live in, as they may see it. */
export interface Host {
  readonly release: Release
  /** `development` lets answers say more; never used where strangers can call. */
  readonly environment: 'production' | 'development'
  /** The folder in which the process keeps what is its own; undefined where it is to keep nothing. */
  readonly dataFolder: string | undefined
  /** Whether transports take requests. Where not, one that takes its address in set-up takes none. */
  readonly serves: boolean
  /** Resolves when every plugin is open, transports too; never where the start fails. */
  readonly started: Promise<void>
  /**
   * Aborted when a stop begins, before transports drain. An answer that never ends by itself, such as a stream of events,
   * ends with it; every other is given the time to be finished.
   */
  readonly stopping: AbortSignal
  plugins(): readonly PluginState[]
  /** Where transports take connections at present. */
  listening(): readonly ListeningPlace[]
  /** Asks every probe, each for at most two seconds. */
  probe(): Promise<readonly ProbeResult[]>
  /** Asks the process to stop; returns at once. */
  requestStop(reason: string): void
}
