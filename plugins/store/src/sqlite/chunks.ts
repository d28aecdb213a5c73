import type { RawRows } from '../rows.ts'

/** Rows that come one by one, so many at a time. */
export class Chunks {
  readonly #rows: IterableIterator<RawRows[number]>
  readonly #size: number

  constructor(rows: IterableIterator<RawRows[number]>, size: number) {
    this.#rows = rows
    this.#size = size
  }

  /** The next rows; none once there are none any more. */
  next(): RawRows {
    const chunk: RawRows = []
    while (chunk.length < this.#size) {
      const { value, done } = this.#rows.next()
      if (done === true) break
      chunk.push(value)
    }
    return chunk
  }

  /** No more are asked for. */
  end(): void {
    this.#rows.return?.()
  }
}
