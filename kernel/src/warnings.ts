import { brand } from './brand.ts'
import type { Warning } from './reply.ts'

/** How many warnings an answer tells; the rest are counted. */
export const MAX_WARNINGS = 100

/** The warnings of one answer: the first ones as they are, and how many came after them. */
export class Warnings {
  static {
    brand(this, 'Warnings')
  }

  readonly #first: Warning[] = []
  #more = 0

  add(warning: Warning): void {
    if (this.#first.length < MAX_WARNINGS) this.#first.push(warning)
    else this.#more += 1
  }

  /** The warnings that are reported as they are. */
  get first(): readonly Warning[] {
    return this.#first
  }

  /** How many there were besides. */
  get more(): number {
    return this.#more
  }

  /** What the answer says: where there were more, a last one counts them. */
  get reported(): readonly Warning[] {
    return this.#more === 0 ? this.#first : [...this.#first, rest(this.#more)]
  }

  /** Says all of it to somebody else, who counts again what was only counted here. */
  repeat(warn: (warning: Warning) => void): void {
    for (const warning of this.#first) warn(warning)
    const [last] = this.#first.slice(-1)
    if (last !== undefined) for (let count = 0; count < this.#more; count += 1) warn(last)
  }

  /** The warnings of an answer that was put away: `first` and `more` of them. */
  static of(first: readonly Warning[], more: number): Warnings {
    const warnings = new Warnings()
    warnings.#first.push(...first)
    warnings.#more = more
    return warnings
  }
}

const rest = (count: number): Warning => ({
  rule: 'more',
  message: `There are ${count} more warnings: they are left out`,
  severity: 'info',
  regulation: null,
})
