import type { Store, Transaction } from '@svc/store/contract'

/** Statements of a transaction. */
const STATEMENTS: readonly string[] = [
  'select',
  'count',
  'aggregate',
  'insert',
  'insertRows',
  'append',
  'update',
  'updateRows',
  'claim',
  'remove',
] satisfies readonly (keyof Transaction)[]

/**
 * The power over a store: how many moments it still goes on. Moments are commits or, where `by` says so, statements and
 * commits. A server whose power is out commits nothing more, and a commit that was its last one it knows nothing of.
 */
export class Power {
  /** The moments so far. */
  moments = 0
  left = Infinity

  constructor(store: Store, by: 'commits' | 'statements' = 'commits') {
    const transaction = store.transaction.bind(store)
    Object.assign(store, {
      transaction: async (...[work, ...more]: Parameters<Store['transaction']>) => {
        this.#look()
        const result = await transaction(by === 'commits' ? work : (own) => work(this.#watched(own)), ...more)
        this.#pass()
        return result
      },
    })
  }

  #watched(own: Transaction): Transaction {
    return new Proxy(own, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name, receiver)
        if (typeof member !== 'function') return member
        if (!STATEMENTS.includes(String(name))) return member.bind(target)
        return async (...given: unknown[]) => {
          this.#pass()
          return member.apply(target, given) as unknown
        }
      },
    })
  }

  #pass(): void {
    this.moments += 1
    this.left -= 1
    this.#look()
  }

  #look(): void {
    if (this.left <= 0) throw new Error('the server is dead')
  }
}
