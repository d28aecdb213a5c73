import { keyOf } from './fields.ts'

/** Usernames that nobody may register for themselves, as others say: those by which something acts already. */
export class Reservations {
  readonly #sources: (() => Iterable<string>)[] = []

  /** Has the names kept that `names` answers whenever somebody registers. */
  add(names: () => Iterable<string>): void {
    this.#sources.push(names)
  }

  /** Whether a name is kept, in whatever case it is written. */
  has(username: string): boolean {
    const wanted = keyOf(username)
    return this.#sources.some((names) => [...names()].some((name) => keyOf(name) === wanted))
  }
}
