import type { Logger } from '@svc/kernel'
import { sqliteCode } from './faults.ts'

/** Failures that are the file's or the disk's, and last until somebody makes room or mends it. */
const LASTING = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/

/** Whether a file can be written, as far as the latest writes have shown, and what the log is told of that. */
export class FileState {
  readonly #path: string
  readonly #log: Logger
  #fault: string | undefined

  constructor(path: string, log: Logger) {
    this.#path = path
    this.#log = log
  }

  /** Why the last write failed that wrote anything; undefined where it did not, or for no reason that lasts. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** Takes note of what a write has failed with; the log is told once, until one has succeeded. */
  failed(error: unknown): void {
    const fault = lastingFault(error)
    if (fault === undefined) return
    if (this.#fault === undefined) this.#log.error({ path: this.#path, reason: fault }, 'sqlite.not_writable')
    this.#fault = fault
  }

  /** Takes note of a write that has succeeded. */
  written(): void {
    if (this.#fault === undefined) return
    this.#fault = undefined
    this.#log.info({ path: this.#path }, 'sqlite.writable_again')
  }
}

/** What SQLite says of a failure that lasts, or that lies behind one that was made of it. */
function lastingFault(error: unknown): string | undefined {
  const code = sqliteCode(error)
  if (code !== undefined && LASTING.test(code)) return `${code}: ${(error as Error).message}`
  return error instanceof Error && error.cause !== undefined ? lastingFault(error.cause) : undefined
}
