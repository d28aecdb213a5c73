import { errors } from '@svc/kernel'

/** Lets a bounded number of works run at once, and a bounded number wait in line. */
export interface Gate {
  /** Runs `work` when it is its turn. Throws UNAVAILABLE where too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Makes a gate for `slots` works at once and `places` that wait. */
export function createGate(slots: number, places: number): Gate {
  const waiting: (() => void)[] = []
  let running = 0

  const enter = async (): Promise<void> => {
    if (running < slots) return void running++
    if (waiting.length >= places) {
      throw errors.UNAVAILABLE({
        message: 'Too many sign-ins at once: try again in a moment',
        headers: { 'Retry-After': '1' },
      })
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** A slot goes from hand to hand: it is free only when nobody waits. */
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return {
    async run(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
