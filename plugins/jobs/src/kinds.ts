import { createHash } from 'node:crypto'
import { isCleanText } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { z } from 'zod'
import type { JobFailure, KindOptions, Work } from './contract.ts'

/** How long a run may take unless its kind says. */
const MAX_RUN_MS = 600_000
/** Longer texts stand in an index with their digest. */
const MAX_KEY = 200

/** A kind as the workers know it: whatever its payload is. */
export interface Kind {
  readonly name: string
  readonly delaysMs: readonly number[]
  readonly maxRunMs: number
  readonly workers: number | undefined
  /** Reads a stored payload. Throws where it does not fit any more. */
  open(payload: string): OpenedJob
}

/** A job whose payload is read. */
export interface OpenedJob {
  /** What orders it. */
  readonly order: string | undefined
  run(work: Work): Promise<unknown>
  failed?(transaction: Transaction, failure: JobFailure): Promise<void>
}

/** The kinds of this server. */
export class Kinds {
  readonly #all = new Map<string, Kind>()

  add(kind: Kind): void {
    if (this.#all.has(kind.name)) throw new Error(`there is a kind of job '${kind.name}' already`)
    this.#all.set(kind.name, kind)
  }

  get(name: string): Kind | undefined {
    return this.#all.get(name)
  }

  names(): readonly string[] {
    return [...this.#all.keys()]
  }
}

/** Makes a kind of what its plugin says. */
export function kindOf<S extends z.ZodType>(name: string, options: KindOptions<S>): Kind {
  const { payload: schema, delaysMs, maxRunMs = MAX_RUN_MS, workers } = options
  return {
    name,
    delaysMs,
    maxRunMs,
    workers,
    open(text) {
      const payload = schema.parse(JSON.parse(text))
      return {
        order: options.order?.(payload),
        run: async (work) => options.run(payload, work),
        failed: async (transaction, failure) => options.failed?.(transaction, payload, failure),
      }
    },
  }
}

/** A text that fits into an index of any store, and is another one for every other text. */
export function indexed(text: string): string {
  if (text.length <= MAX_KEY && isCleanText(text)) return text
  return `sha256:${createHash('sha256').update(text).digest('base64url')}`
}
