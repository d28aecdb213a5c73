import type { Document } from '../document.ts'
import type { Settings } from '../formats/format.ts'
import type { FormatName } from '../formats/formats.ts'

/** What a worker is asked to make. */
export interface Job {
  readonly format: FormatName
  readonly document: Document
  readonly settings: Settings
}

/** A file, and the numbers of the pictures that could not be read. */
export interface Made {
  readonly bytes: Uint8Array
  readonly lost: readonly number[]
}

/** What becomes of it; `held` is the memory of the worker's process after it, in bytes. */
export type Report = { readonly held: number } & (Made | { readonly fault: string })
