import { lengthOf, type Part, PART_LENGTH } from '../part.ts'
import type { RawRows } from '../rows.ts'

type Rows = IterableIterator<RawRows[number]>

/** Rows that come one by one, so many at a time at most. */
export class Chunks {
  readonly #open: () => Rows
  readonly #size: number
  #rows: Rows | undefined

  /** `open` is called with the first rows, and again where these failed. */
  constructor(open: () => Rows, size: number) {
    this.#open = open
    this.#size = size
  }

  next(): Part<RawRows> {
    const rows = this.#rows ?? this.#open()
    const chunk: RawRows = []
    let isLast = false
    let length = 0
    while (chunk.length < this.#size && length < PART_LENGTH) {
      const { value, done } = rows.next()
      if (done === true) {
        isLast = true
        break
      }
      chunk.push(value)
      length += lengthOf(value)
    }
    this.#rows = rows
    return { rows: chunk, length, isLast }
  }

  /** No more are asked for. */
  end(): void {
    this.#rows?.return?.()
  }
}
