import { type Environment, type Logger, repeat } from '@svc/kernel'

export interface LoopOptions {
  readonly periodMs: number
  readonly env: Environment
  readonly log: Logger
  /** Looks for work. */
  look(): Promise<void>
  /** Begins work of a kind that has become due. */
  wake(kind: string): Promise<void>
}

/** What makes a server look for work: a period, and what it hears of. */
export interface Loop {
  /** Work of a kind is due at a moment: at once, or when it has come. */
  wake(kind: string, at: string): void
  stop(): void
}

/**
 * Looks for work once in each period, at another moment of it each time, so that servers that started together do not
 * look together. A look that fails is told once until one has ended well.
 */
export function startLoop({ periodMs, env, log, look, wake }: LoopOptions): Loop {
  let soon: { readonly timer: NodeJS.Timeout; readonly at: number } | undefined
  let isOver = false
  let isFailing = false

  const told = async (work: Promise<void>) => {
    try {
      await work
      if (isFailing) log.info({}, 'jobs.look_recovered')
      isFailing = false
    } catch (err) {
      if (!isFailing) log.error({ err }, 'jobs.look_failed')
      isFailing = true
    }
  }
  const pause = () => {
    const [chance = 0] = env.randomBytes(1)
    return periodMs * (1 - (0.2 * chance) / 255)
  }
  const end = repeat(() => told(look()), { everyMs: pause, firstMs: 0, log, failure: 'jobs.look_failed' })

  /** The period is soon enough for what is later than its end. */
  const lookAt = (at: number) => {
    const ms = at - env.now()
    if (ms > periodMs || (soon !== undefined && soon.at <= at)) return
    clearTimeout(soon?.timer)
    const fire = () => {
      soon = undefined
      if (!isOver) void told(look())
    }
    soon = { at, timer: setTimeout(fire, ms + 1).unref() }
  }

  return {
    wake(kind, at) {
      if (isOver) return
      const moment = Date.parse(at)
      if (moment <= env.now()) void told(wake(kind))
      else lookAt(moment)
    },
    stop() {
      isOver = true
      clearTimeout(soon?.timer)
      void end()
    },
  }
}
