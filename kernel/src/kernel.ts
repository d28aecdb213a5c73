import type { CallAction } from './action.ts'
import { type Actions, createActions } from './actions.ts'
import { type Bus, createBus } from './bus.ts'
import { createRunner } from './call.ts'
import { type Caller, SYSTEM } from './caller.ts'
import type { Capability } from './capability.ts'
import { type Config, parseConfig } from './config.ts'
import { type Environment, systemEnvironment } from './environment.ts'
import type { Host, Release } from './host.ts'
import { createLifecycle } from './lifecycle.ts'
import { createListening } from './listening.ts'
import { type Logger, silentLogger } from './log.ts'
import { startOrder } from './order.ts'
import { createPipeline, type Pipeline } from './pipeline.ts'
import type { Needs, Plugin } from './plugin.ts'
import { createProbes } from './probes.ts'
import { createRedaction, type Redaction } from './redaction.ts'
import { newRequestId } from './request-id.ts'
import { createSpans } from './spans.ts'

export interface KernelOptions {
  /** Sections by name; each belongs to one plugin. */
  readonly config?: Config
  readonly plugins: readonly Plugin[]
  readonly log?: Logger
  /**
   * Whether transports take requests; unless said they do. Where not, they are set up for those who hang something on them, and
   * neither checked nor opened.
   */
  readonly serves?: boolean
  /**
   * Whether plugins are checked and opened; unless said they are. Where not, they are set up alone, which is enough to ask them what they
   * add to each other: none begins to work.
   */
  readonly opens?: boolean
  readonly environment?: 'production' | 'development'
  readonly env?: Environment
  readonly release?: Release
  /** The secrets of this process, which the log shares; the kernel's own unless given. */
  readonly redaction?: Redaction
  /** Where plugins keep files of their own that nothing else names; nowhere unless said. */
  readonly dataFolder?: string
  /** Called when a plugin asks the process to stop. */
  readonly onStopRequest?: (reason: string) => void
}

/** A server without a process: its plugins, their actions, and a way in. */
export interface Kernel {
  readonly actions: Actions
  readonly bus: Bus
  readonly pipeline: Pipeline
  readonly host: Host
  /** Checks every plugin, sets them up and opens them; on failure undoes what was done and throws a StartupError. */
  start(): Promise<void>
  /** Closes and stops every plugin; safe to call twice. */
  stop(): Promise<void>
  /** Calls actions as `caller`, past the pipeline. */
  callAs(caller: Caller, depth?: number): CallAction
  /** The service behind a capability; throws where no started plugin provides it. */
  get<T>(capability: Capability<T>): T
}

const UNRELEASED: Release = { version: '0.0.0', build: 'none', commit: 'none' }

/** Checks plugins and configuration, and makes a kernel that is ready to start. Throws a StartupError. */
export function createKernel(options: KernelOptions): Kernel {
  const { log = silentLogger, env = systemEnvironment, environment = 'production' } = options
  const plugins = startOrder(options.plugins)
  const sections = parseConfig(options.config ?? {}, plugins)
  const services = new Map<string, unknown>()
  const actions = createActions()
  const bus = createBus(log)
  const inDevelopment = environment === 'development'
  const spans = createSpans()
  const runner = createRunner({ actions, spans, checkReplies: inDevelopment, newRequestId })
  const pipeline = createPipeline({ runner, spans, bus, log, explains: inDevelopment })
  const probes = createProbes()
  const listening = createListening()
  const redaction = options.redaction ?? createRedaction()

  const lifecycle = createLifecycle({
    plugins,
    log,
    serves: options.serves ?? true,
    opens: options.opens ?? true,
    checkContext: (plugin) => ({
      config: sections.get(plugin),
      log: log.child({ plugin: plugin.name }),
      env,
      host,
    }),
    context: (plugin, own) => ({
      ...given(plugin.requires, services),
      ...given(plugin.optional, services),
      ...own,
      config: sections.get(plugin),
      log: log.child({ plugin: plugin.name }),
      env,
      actions,
      bus,
      pipeline,
      host,
      spans,
      call: runner.callAs(SYSTEM),
      callAs: runner.callAs,
      probe: probes.add,
      redaction,
      listens: listening.add,
    }),
    provide(plugin, service) {
      if (plugin.provides === undefined) return
      const { name } = plugin.provides
      if (service === undefined) throw new Error(`it provides '${name}', and its set-up has returned nothing`)
      services.set(name, service)
    },
  })

  const host: Host = {
    release: options.release ?? UNRELEASED,
    environment,
    dataFolder: options.dataFolder,
    serves: options.serves ?? true,
    started: lifecycle.started,
    stopping: lifecycle.stopping,
    plugins: lifecycle.states,
    listening: listening.list,
    probe: probes.run,
    requestStop: (reason) => options.onStopRequest?.(reason),
  }

  return {
    actions,
    bus,
    pipeline,
    host,
    start: lifecycle.start,
    stop: lifecycle.stop,
    callAs: runner.callAs,
    get<T>(wanted: Capability<T>): T {
      if (!services.has(wanted.name)) throw new Error(`no started plugin provides '${wanted.name}'`)
      return services.get(wanted.name) as T
    },
  }
}

function given(needs: Needs | undefined, services: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(needs ?? {}).map(([as, need]) => [as, services.get(need.name)]))
}
