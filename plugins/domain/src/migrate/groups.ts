import type { Column } from '@svc/store/contract'
import type { Present } from './convert.ts'

/** What one statement writes: to all rows that get the same, but each sealed value to one row alone. */
export class Groups<Written> {
  readonly #groups = new Map<string, { readonly value: Written; readonly keys: Present[] }>()
  readonly #isSealed: boolean

  /** `columns`: those that are written. */
  constructor(columns: readonly Column[]) {
    this.#isSealed = columns.some(({ codec }) => codec !== undefined)
  }

  add(value: Written, key: Present): void {
    const text = JSON.stringify(this.#isSealed ? key : value)
    const group = this.#groups.get(text) ?? { value, keys: [] }
    this.#groups.set(text, group)
    group.keys.push(key)
  }

  [Symbol.iterator](): Iterator<{ readonly value: Written; readonly keys: readonly Present[] }> {
    return this.#groups.values()
  }
}
