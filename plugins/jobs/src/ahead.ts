import type { Lease } from './leases.ts'

/** What is claimed ahead is begun within about this time, so that no other server waits for it idly; in milliseconds. */
const AHEAD_MS = 250
const MOST = 16
/** What has waited for a worker for so long is for others to take; in milliseconds. */
const PATIENCE_MS = 500
/** The weight of the last run in what the next one is expected to take. */
const WEIGHT = 0.2

/**
 * Leases that wait for a worker of this server. Where short jobs queue up, several are claimed at once: a claim is a
 * transaction, and would cost as much as the job.
 */
export class Ahead {
  readonly #leases = new Map<string, readonly Lease[]>()
  /** Since when the first of a kind has waited. */
  readonly #since = new Map<string, number>()
  readonly #paces = new Map<string, number>()

  /** All of them. */
  get leases(): readonly Lease[] {
    return [...this.#leases.values()].flat()
  }

  /** How many of a kind may be claimed beyond those that `workers` begin at once: none before it is known how long they take. */
  room(kind: string, workers: number): number {
    const pace = this.#paces.get(kind)
    if (pace === undefined) return 0
    return Math.min(MOST, Math.floor((AHEAD_MS * workers) / Math.max(pace, 1)))
  }

  /** Learns how long a job of a kind took. */
  learn(kind: string, ms: number): void {
    const before = this.#paces.get(kind) ?? ms
    this.#paces.set(kind, before + (ms - before) * WEIGHT)
  }

  has(kind: string): boolean {
    return this.#leases.has(kind)
  }

  /** Keeps leases of a kind of which there are none. */
  put(kind: string, leases: readonly Lease[], now: number): void {
    this.#since.set(kind, now)
    this.#keep(kind, leases)
  }

  /** Takes up to `limit` of a kind out, those first that were due first. */
  take(kind: string, limit: number): readonly Lease[] {
    const all = this.#leases.get(kind) ?? []
    this.#keep(kind, all.slice(limit))
    return all.slice(0, limit)
  }

  /** Takes out those that no worker was free for in time. */
  takeOverdue(now: number): readonly Lease[] {
    const kinds = [...this.#leases.keys()].filter(
      (kind) => Math.abs(now - (this.#since.get(kind) ?? now)) > PATIENCE_MS,
    )
    return kinds.flatMap((kind) => this.take(kind, Infinity))
  }

  /** Takes all out. */
  clear(): readonly Lease[] {
    const all = this.leases
    this.#leases.clear()
    return all
  }

  /** Forgets those that are not held any more. */
  drop(isLost: (lease: Lease) => boolean): void {
    for (const [kind, leases] of this.#leases)
      this.#keep(
        kind,
        leases.filter((lease) => !isLost(lease)),
      )
  }

  #keep(kind: string, leases: readonly Lease[]): void {
    if (leases.length === 0) this.#leases.delete(kind)
    else this.#leases.set(kind, leases)
  }
}
