import type { Store, Transaction } from '@svc/store/contract'

const STATEMENTS = ['select', 'insert', 'insertRows', 'update', 'updateRows', 'remove', 'claim'] as const

/** What stands between a server and its store: at one statement or commit it fails, once or for good. */
export class Weak {
  #count = 0
  #at = Infinity
  #isForGood = false

  constructor(store: Store) {
    const transaction = store.transaction.bind(store)
    Object.assign(store, {
      transaction: async (work: (begun: Transaction) => Promise<unknown>, ...rest: never[]) => {
        const result = await transaction(
          async (begun) => {
            const done = await work(this.#weak(begun))
            this.#point()
            return done
          },
          ...rest,
        )
        // Behind the commit: what it wrote is there, and nobody hears of it.
        if (this.#isForGood) this.#point()
        return result
      },
    })
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

  #weak(begun: Transaction): Transaction {
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
