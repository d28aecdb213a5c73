import type { Logger } from '@svc/kernel'
import type { Source } from './contract.ts'

type Find = (isTick: boolean) => Promise<boolean>

/** The rows of others that this server looks at. */
export class Sources {
  readonly #log: Logger
  readonly #all = new Set<Looked>()
  /** Whether this server does work by itself. */
  isAwake = false

  constructor(log: Logger) {
    this.#log = log
  }

  add(name: string, find: Find): Source {
    const looked = new Looked(name, find, this.#log)
    this.#all.add(looked)
    return {
      wake: () => {
        if (this.isAwake) void looked.look()
      },
      end: async () => {
        this.#all.delete(looked)
        await looked.end()
      },
    }
  }

  /** Looks at all of them; answers whether there was anything to do. */
  async look(isAsked = false): Promise<boolean> {
    const found = await Promise.all([...this.#all].map((one) => one.look(isAsked)))
    return found.includes(true)
  }

  /** Looks no more, and waits for what is under way. */
  async close(): Promise<void> {
    this.isAwake = false
    await Promise.all([...this.#all].map((one) => one.end()))
  }
}

/** One of them: looked at once at a time, and once more where somebody asked meanwhile. */
class Looked {
  readonly #name: string
  readonly #find: Find
  readonly #log: Logger
  #looking: Promise<boolean> | undefined
  #isAskedAgain = false
  #isTick = false
  #isFailing = false
  #isOver = false

  constructor(name: string, find: Find, log: Logger) {
    this.#name = name
    this.#find = find
    this.#log = log
  }

  look(isTick = false): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    this.#isAskedAgain = true
    this.#isTick ||= isTick
    this.#looking ??= this.#rounds().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#looking
  }

  async #rounds(): Promise<boolean> {
    let found = false
    while (this.#isAskedAgain && !this.#isOver) {
      const isTick = this.#isTick
      this.#isAskedAgain = this.#isTick = false
      found = (await this.#once(isTick)) || found
    }
    return found
  }

  async #once(isTick: boolean): Promise<boolean> {
    try {
      const found = await this.#find(isTick)
      this.#isFailing = false
      return found
    } catch (err) {
      if (!this.#isFailing) this.#log.error({ source: this.#name, err }, 'jobs.source_failed')
      this.#isFailing = true
      return false
    }
  }
}
