import { AppError } from './errors.ts'
import type { PluginState, PluginStatus } from './host.ts'
import type { Logger } from './log.ts'
import { PATIENCE_MS, patiently } from './patience.ts'
import type { CheckContext, Close, Context, Ending, Plugin } from './plugin.ts'
import { StartupError } from './startup-error.ts'

interface Running {
  readonly plugin: Plugin
  status: PluginStatus
  readonly opens: (readonly [begin: Parameters<Context['onOpen']>[0], ending: Ending | undefined])[]
  readonly closes: Release[]
  readonly stops: Release[]
}

type Release = readonly [release: Close, ending: Ending | undefined]

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
  /** Whether plugins are checked and opened. */
  readonly opens: boolean
  /** Makes what the check of one plugin is handed. */
  checkContext(plugin: Plugin): CheckContext
  /** Makes the context of one plugin; the two functions belong to it. */
  context(plugin: Plugin, own: Pick<Context, 'onOpen' | 'onStop'>): unknown
  /** Takes what set-up returned. */
  provide(plugin: Plugin, service: unknown): void
}

/** Makes the life of a list of plugins: check, set up, open, close, stop. */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const { plugins, log, serves, opens, checkContext, context, provide } = options
  const running: Running[] = plugins.map((plugin) => ({
    plugin,
    status: 'loaded',
    opens: [],
    closes: [],
    stops: [],
  }))
  const working = running.filter(({ plugin }) => opens && (serves || !isTransport(plugin)))
  const ending = new AbortController()
  /** A start that is told to stop waits no longer for a step that hangs. */
  const step = (one: Running, what: string, work: () => Promise<void>) =>
    attempt(one, () => {
      const waiting = { plugin: one.plugin.name, what, log, mostMs: PATIENCE_MS, since: ending.signal }
      return patiently(work(), waiting)
    })
  let isOpen: () => void = () => undefined
  const started = new Promise<void>((resolve) => (isOpen = resolve))
  let begun: Promise<void> | undefined
  let stopped: Promise<void> | undefined

  /** Every plugin looks before anything is changed; what they find is told together. */
  const check = async () => {
    const found: StartupError[] = []
    for (const one of working) {
      const work = async () => one.plugin.check?.(checkContext(one.plugin))
      await step(one, 'look at what it needs', work).catch((error: StartupError) => found.push(error))
    }
    if (found.length > 0) throw StartupError.of(found)
  }

  const setUp = (one: Running) =>
    step(one, 'set up', async () => {
      const own: Pick<Context, 'onOpen' | 'onStop'> = {
        onOpen: (begin, how) => void one.opens.push([begin, how]),
        onStop: (release, how) => void one.stops.push([release, how]),
      }
      provide(one.plugin, await one.plugin.setup(context(one.plugin, own)))
    })

  const open = (one: Running) =>
    step(one, 'open', async () => {
      for (const [begin, how] of one.opens) {
        const close = await begin()
        if (close) one.closes.push([close, how])
      }
      one.status = 'ready'
    })

  const begin = async () => {
    await check()
    for (const one of running) await unlessStopping(setUp, one)
    for (const one of openOrder(working)) await unlessStopping(open, one)
  }
  const unlessStopping = (work: (one: Running) => Promise<void>, one: Running) => {
    if (!ending.signal.aborted) return work(one)
    throw new StartupError('start', 'it was told to stop before everything was open')
  }

  const stop = async () => {
    ending.abort(new Error('the server is stopping'))
    await begun?.catch(() => undefined)
    const closing = openOrder(running).reverse()
    for (const one of closing) await letGo(one, 'closes', log)
    for (const one of [...running].reverse()) {
      await letGo(one, 'stops', log)
      if (one.status === 'ready') one.status = 'stopped'
    }
  }

  return {
    async start() {
      try {
        await (begun = begin())
        if (opens) isOpen()
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

const LETTING_GO = {
  closes: ['close', 'plugin.close_failed'],
  stops: ['stop', 'plugin.stop_failed'],
} as const

/** What fails, or takes too long, is told, and the others get their turn. */
async function letGo(one: Running, which: keyof typeof LETTING_GO, log: Logger): Promise<void> {
  const { name: plugin } = one.plugin
  const [what, event] = LETTING_GO[which]
  for (const [release, how] of one[which].splice(0).reverse()) {
    const mostMs = how?.patienceMs ?? PATIENCE_MS
    try {
      await patiently((async () => release())(), {
        plugin,
        what,
        log,
        mostMs,
        isExpected: mostMs > PATIENCE_MS,
      })
    } catch (error) {
      log.error({ plugin, err: error }, event)
    }
  }
}
