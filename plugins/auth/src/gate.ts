import { errors } from '@svc/kernel'
import { Line } from './line.ts'

/** Lets a bounded number of works run at once, in two lanes. */
export interface Gate {
  /** For people who wait: before all others, and clients by turns. Throws UNAVAILABLE where too many wait already. */
  front<T>(client: string, work: () => Promise<T>): Promise<T>
  /** For what comes in masses, in the order in which it came: one slot is always left to the front. */
  back<T>(work: () => Promise<T>): Promise<T>
  /** How many works of the back lane run at once. */
  readonly backSlots: number
}

interface Waiting {
  readonly enter: () => void
  readonly refuse: (reason: Error) => void
}

/** Makes a gate for `slots` works at once, at least two, and `places` that wait in front. */
export function createGate(slots: number, places: number): Gate {
  const front = new Line<Waiting>(places)
  const back: (() => void)[] = []
  const backSlots = slots - 1
  let running = 0
  let runningBack = 0

  const nextInBack = (): (() => void) | undefined => {
    const enter = runningBack < backSlots ? back.shift() : undefined
    if (enter !== undefined) runningBack += 1
    return enter
  }

  const letIn = (): void => {
    while (running < slots) {
      const enter = front.take()?.enter ?? nextInBack()
      if (enter === undefined) return
      running += 1
      enter()
    }
  }

  return {
    backSlots,
    async front(client, work) {
      await new Promise<void>((enter, refuse) => {
        front.put(client, { enter, refuse })?.refuse(tooMany())
        letIn()
      })
      try {
        return await work()
      } finally {
        running -= 1
        letIn()
      }
    },
    async back(work) {
      await new Promise<void>((enter) => {
        back.push(enter)
        letIn()
      })
      try {
        return await work()
      } finally {
        running -= 1
        runningBack -= 1
        letIn()
      }
    },
  }
}

const tooMany = () =>
  errors.UNAVAILABLE({
    message: 'Too many sign-ins at once: try again in a moment',
    headers: { 'Retry-After': '1' },
  })
