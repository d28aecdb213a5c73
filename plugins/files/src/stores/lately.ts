/** How many bytes are remembered in all. */
const MOST_BYTES = 16 * 1024 ** 2

/** Which bytes a file had when it was read. */
export interface Mark {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

interface Remembered {
  readonly mark: Mark
  readonly bytes: Uint8Array
}

/** Small files as they were read lately: a look at a file says whether its bytes still stand. */
export class Lately {
  /** Those that were asked for longest ago come first. */
  readonly #files = new Map<string, Remembered>()
  #size = 0

  /** The bytes of a file that has this mark. */
  of(path: string, { ino, size, mtimeMs }: Mark): Uint8Array | undefined {
    const found = this.#files.get(path)
    if (found === undefined) return undefined
    const { mark, bytes } = found
    if (mark.ino !== ino || mark.size !== size || mark.mtimeMs !== mtimeMs) return undefined
    this.#files.delete(path)
    this.#files.set(path, found)
    return bytes
  }

  has(path: string): boolean {
    return this.#files.has(path)
  }

  keep(path: string, mark: Mark, bytes: Uint8Array): void {
    this.forget(path)
    this.#files.set(path, { mark, bytes })
    this.#size += bytes.length
    for (const oldest of this.#files.keys()) {
      if (this.#size <= MOST_BYTES) break
      this.forget(oldest)
    }
  }

  forget(path: string): void {
    const found = this.#files.get(path)
    if (found === undefined) return
    this.#files.delete(path)
    this.#size -= found.bytes.length
  }
}
