/** How many deliveries of one endpoint run at once on a server: of one that fails a single one, so that others never wait. */
const HEALTHY = 8
const FAILING = 1
/** The longest that a delivery is put off for want of a place, in milliseconds. */
const LONGEST_MS = 60_000

interface Lanes {
  running: number
  /** Those that found no place since one was free. */
  turned: number
}

/** The places that endpoints have on this server. */
export class Slots {
  readonly #lanes = new Map<string, Lanes>()

  /** Takes a place; answers what gives it back, or how long to wait for one, in milliseconds. */
  take(endpoint: string, isFailing: boolean): (() => void) | number {
    const lanes = this.#lanes.get(endpoint) ?? { running: 0, turned: 0 }
    this.#lanes.set(endpoint, lanes)
    if (lanes.running >= (isFailing ? FAILING : HEALTHY)) {
      lanes.turned += 1
      return Math.min(LONGEST_MS, lanes.turned * (isFailing ? 1000 : 50))
    }
    lanes.running += 1
    lanes.turned = 0
    return () => {
      lanes.running -= 1
      if (lanes.running === 0) this.#lanes.delete(endpoint)
    }
  }
}
