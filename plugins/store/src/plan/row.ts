import type { Value } from './value.ts'

/** A row under its columns' names. */
export type Row = Readonly<Record<string, Value>>
