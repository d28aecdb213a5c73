/** The life of what consumes: it is over once it is told to end, or something breaks. */
export interface Consumption {
  /** Settles at the end: resolves where it was asked for, and rejects where something broke. */
  readonly over: Promise<void>
  /** Aborts at the end, however that came. */
  readonly signal: AbortSignal
  /** Whether nothing that was taken can be answered any more. */
  readonly isBroken: boolean
  /** Ends it, by what broke or because it was asked for. */
  stop(error?: Error): void
  /** Says that the connection is given up. */
  giveUp(): void
}

/** Begins one, which ends with `ending`. */
export function beginConsumption(ending: AbortSignal): Consumption {
  let stop: Consumption['stop'] = () => undefined
  const over = new Promise<void>((resolve, reject) => {
    stop = (error) => (error === undefined ? resolve() : reject(error))
  })
  over.catch(() => undefined)
  const end = () => stop()
  ending.addEventListener('abort', end, { once: true })
  const broken = new AbortController()
  return {
    over,
    signal: AbortSignal.any([ending, broken.signal]),
    get isBroken() {
      return broken.signal.aborted
    },
    stop,
    giveUp() {
      broken.abort()
      ending.removeEventListener('abort', end)
    },
  }
}
