import { errors } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import { DefinitionError } from '../definition/problem.ts'
import { readRevisions } from '../migrate/journal.ts'

/** How often a change starts again after another server's. */
const ATTEMPTS = 5

/** Another server has changed a domain meanwhile. */
class Overtaken extends Error {}

export interface TurnsParts {
  readonly store: Reader
  /** The revision of a domain that is in force here. */
  revisionOf(domain: string): number | undefined
  /** Takes over what other servers have changed. */
  takeOver(): Promise<void>
}

/** One change after the other, on this server and beside others. */
export class Turns {
  readonly #parts: TurnsParts
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: TurnsParts) {
    this.#parts = parts
  }

  /** Takes over what other servers have changed. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#refresh())
  }

  /** Runs a change on what is in force now, and again where another server was faster. */
  change<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      for (let attempt = 1; ; attempt += 1) {
        await this.#refresh()
        try {
          return await work()
        } catch (error) {
          if (!(await this.#isOvertaken(error))) throw error
          if (attempt === ATTEMPTS)
            throw errors.CONFLICT({ message: 'Other servers keep changing domains: try again' })
        }
      }
    })
  }

  /** In the transaction of a change: it starts again where another server was faster. */
  async assertCurrent(reader: Reader): Promise<void> {
    if (await this.isBehind(reader)) throw new Overtaken('another server has changed a domain')
  }

  async #refresh(): Promise<void> {
    if (await this.isBehind(this.#parts.store)) await this.#parts.takeOver()
  }

  /** Whether another server has changed a domain, and this one has not taken that over. */
  async isBehind(reader: Reader): Promise<boolean> {
    const revisions = await readRevisions(reader)
    return [...revisions].some(([name, revision]) => this.#parts.revisionOf(name) !== revision)
  }

  /** What looks wrong with a definition may be right beside what another server has changed. */
  async #isOvertaken(error: unknown): Promise<boolean> {
    if (error instanceof Overtaken) return true
    return error instanceof DefinitionError && this.isBehind(this.#parts.store)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}
