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
    const result = await run(async (begun) => {
      const done = await work(this.#weak(begun))
      this.#point()
      return done
    })
    // Behind the commit: what it wrote is there, and nobody hears of it.
    if (this.#isForGood) this.#point()
    return result
  }

  /** Lets the n-th point from now on fail: that one alone, or it and all that follow. */
  arm(n: number, how: 'fails' | 'dies'): void {
    this.#count = 0
    this.#at = n
    this.#isForGood = how === 'dies'
  }

  /** Everything works again; answers whether the point was met. */
  heal(): boolean {
    const isMet = this.#count >= this.#at
    this.#at = Infinity
    return isMet
  }

  #point(): void {
    this.#count += 1
    if (this.#isForGood ? this.#count >= this.#at : this.#count === this.#at)
      throw new Error('the store is gone')
  }

  #weak<B extends Transaction>(begun: B): B {
    return new Proxy(begun, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (!STATEMENTS.some((one) => one === name)) return member.bind(target)
        return async (...given: unknown[]) => {
          this.#point()
          return member.apply(target, given)
        }
      },
    })
  }
}
