/** How many deliveries of one endpoint run at once on a server: at first, once it has answered often, and while it fails. */
const FIRST = 3
const HEALTHY = 8
const FAILING = 1
/** The longest that a delivery is put off for want of a place, in milliseconds. */
const LONGEST_MS = 60_000
/** Of how many endpoints it is kept that they answer: more than there are. */
const MOST_KNOWN = 1000

interface Lanes {
  running: number
  /** Those that found no place since one was free. */
  turned: number
  /** How many may run: one more with each answer. */
  places: number
}

/** Gives a place back; `isAnswered` says whether the endpoint did. */
export type Free = (isAnswered: boolean) => void

/**
 * The places that endpoints have on this server. Nobody knows of a new one whether it answers, and it takes the time of an attempt to
 * find out: so it begins with few, that one which is silent keeps hardly any worker from the others.
 */
export class Slots {
  readonly #lanes = new Map<string, Lanes>()

  /** Takes a place; answers what gives it back, or how long to wait for one, in milliseconds. */
  take(endpoint: string, isFailing: boolean): Free | number {
    const lanes = this.#lanes.get(endpoint) ?? { running: 0, turned: 0, places: FIRST }
    this.#lanes.set(endpoint, lanes)
    if (lanes.running >= (isFailing ? FAILING : lanes.places)) {
      lanes.turned += 1
      return Math.min(LONGEST_MS, lanes.turned * (isFailing ? 1000 : 50))
    }
    lanes.running += 1
    lanes.turned = 0
    return (isAnswered) => {
      lanes.running -= 1
      lanes.places = isAnswered ? Math.min(HEALTHY, lanes.places + 1) : FIRST
      if (lanes.running === 0 && (lanes.places === FIRST || this.#lanes.size > MOST_KNOWN))
        this.#lanes.delete(endpoint)
    }
  }
}
