import type { Environment } from '@svc/kernel'
import { Ahead } from './ahead.ts'
import { LeaseLost } from './contract.ts'
import type { Kind, Kinds } from './kinds.ts'
import type { Lease, Leases } from './leases.ts'
import { Drained, Run, type RunParts } from './run.ts'

export interface WorkersOptions {
  readonly kinds: Kinds
  readonly leases: Leases
  readonly env: Environment
  /** What runs are made with. */
  readonly parts: RunParts
  /** How many jobs run at once, but for kinds with workers of their own. */
  readonly workers: number
  readonly leaseMs: number
}

/** The jobs that run on this server, and the claims of further ones. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #running = new Map<Run, Promise<void>>()
  readonly #ahead = new Ahead()
  /** Kinds of which some job may be due, those first that have waited for a worker longest. */
  readonly #eager = new Set<string>()
  #filling: Promise<void> | undefined
  #isAskedAgain = false
  #renewedAt = 0
  #begun = 0
  #isClosed = false

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  /** Begins jobs of a kind of which some may be due. */
  wake(kind: string): Promise<void> {
    this.#eager.add(kind)
    return this.fill()
  }

  /** Looks whether any job is due, whoever has put it, and begins what workers are free for. */
  async look(): Promise<void> {
    const { kinds, leases, env } = this.#options
    await this.renew()
    await this.#release(this.#ahead.takeOverdue(env.now()))
    const names = kinds.names()
    if (names.length > 0 && (await leases.isAnyDue(names))) for (const name of names) this.#eager.add(name)
    await this.fill()
  }

  /** Does all that is due, and what becomes due by it; answers how many jobs were begun. Endless ones are begun alone. */
  async settle(signal: AbortSignal): Promise<number> {
    const before = this.#begun
    for (let isBusy = true; isBusy && !signal.aborted && !this.#isClosed;) {
      const seen = this.#begun
      // What ran before may have made others due behind the back of this look.
      const isRunning = this.#finite().length > 0
      // Whoever asked for all of it is answered when nothing is under way any more, also where looking failed.
      try {
        await this.look()
      } finally {
        await this.#idle()
      }
      isBusy = isRunning || seen !== this.#begun
    }
    return this.#begun - before
  }

  /** Claims and begins jobs while workers are free; one round at a time. Throws what the store throws. */
  fill(): Promise<void> {
    if (this.#filling !== undefined) {
      this.#isAskedAgain = true
      return this.#filling
    }
    const rounds = async () => {
      do {
        this.#isAskedAgain = false
        await this.#round()
      } while (this.#isAskedAgain)
    }
    this.#filling = rounds().finally(() => (this.#filling = undefined))
    return this.#filling
  }

  /** Holds on to what runs; what is not held any more is ended. */
  async renew(): Promise<void> {
    const { env, leases, leaseMs } = this.#options
    const now = env.now()
    const open = [...this.#running.keys()].filter(({ isOpen }) => isOpen)
    const waiting = this.#ahead.leases
    if (open.length + waiting.length === 0) this.#renewedAt = now
    if (now - this.#renewedAt < leaseMs / 5 && now >= this.#renewedAt) return
    try {
      const held = await leases.renew([...open.map(({ lease }) => lease), ...waiting])
      this.#renewedAt = now
      for (const run of open) if (!held.has(run.lease.id)) run.end(new LeaseLost(run.lease.id))
      this.#ahead.drop((lease) => waiting.includes(lease) && !held.has(lease.id))
    } catch (error) {
      // Others take over by now what nobody could hold.
      if (env.now() - this.#renewedAt > leaseMs) {
        for (const run of open) run.end(new LeaseLost(run.lease.id))
        this.#ahead.clear()
      }
      throw error
    }
  }

  /** Ends the runs of jobs that were cancelled. */
  revoke(ids: readonly string[]): void {
    this.#ahead.drop(({ id }) => ids.includes(id))
    for (const run of this.#running.keys())
      if (ids.includes(run.lease.id)) run.end(new LeaseLost(run.lease.id))
  }

  /** Begins nothing any more. */
  close(): void {
    this.#isClosed = true
  }

  /** Waits for what is under way, up to `ms`; ends the rest and lets go of it. */
  async drain(ms: number): Promise<void> {
    this.close()
    await this.#filling?.catch(() => undefined)
    await this.#release(this.#ahead.clear())
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
    await Promise.race([Promise.all(this.#running.values()), over])
    clearTimeout(timer)
    for (const run of this.#running.keys()) run.end(new Drained('the server stops'))
    await Promise.all(this.#running.values())
  }

  async #round(): Promise<void> {
    if (this.#isClosed || this.#eager.size === 0) return
    await this.renew()
    for (let before = -1; before !== this.#begun;) {
      before = this.#begun
      const asking = [...this.#eager]
      for (const name of asking) await this.#beginSome(name)
    }
  }

  async #beginSome(name: string): Promise<void> {
    const kind = this.#options.kinds.get(name)
    const limit = kind === undefined ? 0 : this.#free(kind)
    if (kind === undefined || limit <= 0) return
    // Behind the others: a kind with much to do lets each of them have its turn.
    this.#eager.delete(name)
    const isAhead = this.#ahead.has(name)
    const leases = isAhead ? this.#ahead.take(name, limit) : await this.#claimed(kind, limit)
    for (const lease of leases) this.#begin(lease, kind)
    // Behind the last of those that were claimed ahead there may be others.
    if (isAhead || leases.length === limit) this.#eager.add(name)
  }

  /** Claims as many as begin at once, and further ones for the workers that are free next. */
  async #claimed(kind: Kind, limit: number): Promise<readonly Lease[]> {
    const { workers = this.#options.workers, name } = kind
    const leases = await this.#claim(kind, limit + this.#ahead.room(name, workers))
    this.#ahead.put(name, leases.slice(limit), this.#options.env.now())
    return leases.slice(0, limit)
  }

  async #claim(kind: Kind, limit: number): Promise<readonly Lease[]> {
    try {
      const leases = await this.#options.leases.claim(kind.name, limit)
      if (!this.#isClosed) return leases
      await this.#options.leases.release(leases)
      return []
    } catch (error) {
      this.#eager.add(kind.name)
      throw error
    }
  }

  #begin(lease: Lease, kind: Kind): void {
    this.#begun += 1
    const run = new Run(lease, kind, this.#options.parts)
    this.#running.set(run, this.#follow(run))
  }

  async #follow(run: Run): Promise<void> {
    const { env, parts } = this.#options
    const { log } = parts
    const begunAt = env.now()
    const end = await run.perform()
    this.#ahead.learn(run.kind.name, env.now() - begunAt)
    if (end === 'free') await this.#release([run.lease])
    this.#running.delete(run)
    if (this.#eager.size === 0) return
    this.fill().catch((err: unknown) => log.error({ err }, 'jobs.look_failed'))
  }

  /** What cannot be let go of now is free once its lease is over. */
  async #release(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return
    try {
      await this.#options.leases.release(leases)
    } catch (err) {
      this.#options.parts.log.warn({ jobs: leases.map(({ id }) => id), err }, 'jobs.not_released')
    }
  }

  /** How many jobs of a kind may begin: the shared workers are shared out among the kinds that ask for some. */
  #free(kind: Kind): number {
    const { kinds, workers } = this.#options
    const running = [...this.#running.keys()]
    if (kind.workers !== undefined) return kind.workers - running.filter((run) => run.kind === kind).length
    const free = workers - running.filter((run) => run.kind.workers === undefined).length
    const asking = [...this.#eager].filter((name) => kinds.get(name)?.workers === undefined).length
    return Math.ceil(free / Math.max(1, asking))
  }

  /** Waits until nothing runs but what never ends by itself. */
  async #idle(): Promise<void> {
    for (;;) {
      await this.#filling?.catch(() => undefined)
      const finite = this.#finite()
      if (finite.length === 0 && this.#filling === undefined) return
      await Promise.all(finite)
    }
  }

  /** The ends of what runs, but for what never ends by itself. */
  #finite(): readonly Promise<void>[] {
    return [...this.#running].filter(([{ kind }]) => Number.isFinite(kind.maxRunMs)).map(([, ended]) => ended)
  }
}
