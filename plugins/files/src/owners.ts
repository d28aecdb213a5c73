import type { Reader } from '@svc/store/contract'
import type { OwnerOf, Ownership } from './contract.ts'
import type { FileRow } from './table.ts'

/** Those who may say that a file is theirs. */
export class Owners {
  readonly #all: OwnerOf[] = []

  add(owner: OwnerOf): void {
    this.#all.push(owner)
  }

  /** What is said of a file; undefined where it is nobody's but its uploader's. */
  async of(file: FileRow, reader: Reader): Promise<Ownership | undefined> {
    for (const owner of this.#all) {
      const found = await owner(file, reader)
      if (found !== undefined) return found
    }
    return undefined
  }
}
