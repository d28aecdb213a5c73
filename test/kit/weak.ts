import { AsyncLocalStorage } from 'node:async_hooks'
import type { Definition, Store, Transaction } from '@svc/store/contract'

const STATEMENTS = [
  'select',
  'insert',
  'insertRows',
  'append',
  'update',
  'updateRows',
  'remove',
  'claim',
  'apply',
] as const

/** What stands between a server and its store: at one statement or commit it fails, once or for good. */
export class Weak {
  #count = 0
  #at = Infinity
  #isForGood = false
  /** Whether the points of `failing` alone count. */
  #isNarrow = false
  readonly #own = new AsyncLocalStorage<true>()

  constructor(store: Store) {
    const transaction = store.transaction.bind(store)
    const define = store.define.bind(store)
    const weak: Pick<Store, 'transaction' | 'define'> = {
      transaction: (work, options) => this.#around(work, (weakened) => transaction(weakened, options)),
      define: (work, options) => this.#around(work, (weakened) => define(weakened, options)),
    }
    Object.assign(store, weak)
  }

  async #around<T, B extends Transaction | Definition>(
    work: (begun: B) => Promise<T>,
    run: (weakened: (begun: B) => Promise<T>) => Promise<T>,
  ): Promise<T> {
    const isOwn = this.#own.getStore() === true
    const result = await run(async (begun) => {
      const done = await work(this.#weak(begun, isOwn))
      this.#point(isOwn)
      return done
    })
    // Behind the commit: what it wrote is there, and nobody hears of it.
    if (this.#isForGood) this.#point(isOwn)
    return result
  }

  /** Lets the n-th point of `work` fail, and of nothing that goes on beside it; answers whether it was met. */
  async failing<T>(n: number, how: 'fails' | 'dies', work: () => Promise<T>): Promise<[T, boolean]> {
    this.arm(n, how)
    this.#isNarrow = true
    const result = await this.#own.run(true, work)
    return [result, this.heal()]
  }

  /** Lets the n-th point from now on fail: that one alone, or it and all that follow. */
  arm(n: number, how: 'fails' | 'dies'): void {
    this.#count = 0
    this.#at = n
    this.#isForGood = how === 'dies'
    this.#isNarrow = false
  }

  /** Everything works again; answers whether the point was met. */
  heal(): boolean {
    const isMet = this.#count >= this.#at
    this.#at = Infinity
    return isMet
  }

  #point(isOwn: boolean): void {
    const counts = isOwn || !this.#isNarrow
    if (counts) this.#count += 1
    if (this.#isForGood ? this.#count >= this.#at : counts && this.#count === this.#at)
      throw new Error('the store is gone')
  }

  #weak<B extends Transaction>(begun: B, isOwn: boolean): B {
    return new Proxy(begun, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (!STATEMENTS.some((one) => one === name)) return member.bind(target)
        return async (...given: unknown[]) => {
          this.#point(isOwn)
          return member.apply(target, given)
        }
      },
    })
  }
}
