import type { Place } from './document.ts'
import type { Findings } from './findings.ts'
import type { DefinitionError, Path, Position } from './problem.ts'

/** Where a walk through a document has come to, and where that is written. */
export class Cursor {
  readonly #findings: Findings
  #path: Path = []
  #place: Place | undefined

  constructor(findings: Findings) {
    this.#findings = findings
  }

  get path(): Path {
    return this.#path
  }

  get place(): Place | undefined {
    return this.#place
  }

  get position(): Position | undefined {
    return this.#place?.source.positionAt(this.#place.value)
  }

  /** Runs one step deeper. */
  within<T>(step: string | number, place: Place | undefined, run: () => T): T {
    return this.#at([...this.#path, step], place, run)
  }

  /** Runs somewhere else in the document. */
  elsewhere<T>(path: Path, run: () => T): T {
    return this.#at(path, this.#place, run)
  }

  report(message: string, hint?: string): undefined {
    this.#findings.add(this.#path, message, this.position, hint)
  }

  fatal(message: string): DefinitionError {
    return this.#findings.fatal(this.#path, message, this.position)
  }

  #at<T>(path: Path, place: Place | undefined, run: () => T): T {
    const [before, around] = [this.#path, this.#place]
    ;[this.#path, this.#place] = [path, place ?? around]
    const result = run()
    ;[this.#path, this.#place] = [before, around]
    return result
  }
}
