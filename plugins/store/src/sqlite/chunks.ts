import type { RawRows } from '../rows.ts'

type Rows = IterableIterator<RawRows[number]>

/** Rows that come one by one, so many at a time. */
export class Chunks {
  readonly #open: () => Rows
  readonly #size: number
  #rows: Rows | undefined

  /** `open` is called with the first rows, and again where these failed. */
  constructor(open: () => Rows, size: number) {
    this.#open = open
    this.#size = size
  }

  /** The next rows; fewer than so many are the last. */
  next(): RawRows {
    const rows = this.#rows ?? this.#open()
    const chunk: RawRows = []
    while (chunk.length < this.#size) {
      const { value, done } = rows.next()
      if (done === true) break
      chunk.push(value)
    }
    this.#rows = rows
    return chunk
  }

  /** No more are asked for. */
  end(): void {
    this.#rows?.return?.()
  }
}
