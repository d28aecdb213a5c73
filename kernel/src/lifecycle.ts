import { AppError } from './errors.ts'
import type { PluginState, PluginStatus } from './host.ts'
import type { Logger } from './log.ts'
import type { CheckContext, Close, Context, Plugin } from './plugin.ts'
import { StartupError } from './startup-error.ts'

interface Running {
  readonly plugin: Plugin
  status: PluginStatus
  readonly opens: (() => void | Close | Promise<void | Close>)[]
  readonly closes: Close[]
  readonly stops: Close[]
}

/** Starts plugins in order and stops them in reverse, whatever fails on the way. */
export interface Lifecycle {
  start(): Promise<void>
  stop(): Promise<void>
  /** Resolves when everything is open. */
  readonly started: Promise<void>
  /** Aborted when a stop begins, before anything is closed. */
  readonly stopping: AbortSignal
  states(): readonly PluginState[]
}

export interface LifecycleOptions {
  /** In order of set-up. */
  readonly plugins: readonly Plugin[]
  readonly log: Logger
  /** Whether transports are checked and opened. */
  readonly serves: boolean
  /** Makes what the check of one plugin is handed. */
  checkContext(plugin: Plugin): CheckContext
  /** Makes the context of one plugin; the two functions belong to it. */
  context(plugin: Plugin, own: Pick<Context, 'onOpen' | 'onStop'>): unknown
  /** Takes what set-up returned. */
  provide(plugin: Plugin, service: unknown): void
}

/** Makes the life of a list of plugins: check, set up, open, close, stop. */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const { plugins, log, serves, checkContext, context, provide } = options
  const running: Running[] = plugins.map((plugin) => ({
    plugin,
    status: 'loaded',
    opens: [],
    closes: [],
    stops: [],
  }))
  const working = running.filter(({ plugin }) => serves || !isTransport(plugin))
  const ending = new AbortController()
  let isOpen: () => void = () => undefined
  const started = new Promise<void>((resolve) => (isOpen = resolve))
  let stopped: Promise<void> | undefined

  /** Every plugin looks before anything is changed; what they find is told together. */
  const check = async () => {
    const found: StartupError[] = []
    for (const one of working) {
      const work = async () => one.plugin.check?.(checkContext(one.plugin))
      await attempt(one, work).catch((error: StartupError) => found.push(error))
    }
    if (found.length > 0) throw StartupError.of(found)
  }

  const setUp = (one: Running) =>
    attempt(one, async () => {
      const own = {
        onOpen: (open: Running['opens'][number]) => void one.opens.push(open),
        onStop: (release: Close) => void one.stops.push(release),
      }
      provide(one.plugin, await one.plugin.setup(context(one.plugin, own)))
    })

  const open = (one: Running) =>
    attempt(one, async () => {
      for (const begin of one.opens) {
        const close = await begin()
        if (close) one.closes.push(close)
      }
      one.status = 'ready'
    })

  const stop = async () => {
    ending.abort(new Error('the server is stopping'))
    const closing = openOrder(running).reverse()
    for (const one of closing) await letGo(one, one.closes, 'plugin.close_failed', log)
    for (const one of [...running].reverse()) {
      await letGo(one, one.stops, 'plugin.stop_failed', log)
      if (one.status === 'ready') one.status = 'stopped'
    }
  }

  return {
    async start() {
      try {
        await check()
        for (const one of running) await setUp(one)
        for (const one of openOrder(working)) await open(one)
        isOpen()
      } catch (error) {
        await (stopped ??= stop())
        throw error
      }
    },
    stop: () => (stopped ??= stop()),
    started,
    stopping: ending.signal,
    states: () => running.map(({ plugin, status }) => ({ name: plugin.name, phase: plugin.phase, status })),
  }
}

/** Transports are set up first and accept work last. */
function openOrder(running: readonly Running[]): Running[] {
  return [
    ...running.filter(({ plugin }) => !isTransport(plugin)),
    ...running.filter(({ plugin }) => isTransport(plugin)),
  ]
}

const isTransport = ({ phase }: Plugin): boolean => phase === 'transport'

async function attempt(one: Running, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    one.status = 'failed'
    if (error instanceof StartupError) throw error
    const { name } = one.plugin
    const reason = error instanceof Error ? error.message : String(error)
    // What a caller may see tells by itself what to do.
    const hint =
      error instanceof AppError ? undefined : `Correct the plugin '${name}', or leave it out of 'plugins'`
    throw new StartupError(name, reason, hint, error)
  }
}

async function letGo(one: Running, releases: Close[], event: string, log: Logger): Promise<void> {
  for (const release of releases.splice(0).reverse()) {
    try {
      await release()
    } catch (error) {
      log.error({ plugin: one.plugin.name, err: error }, event)
    }
  }
}
