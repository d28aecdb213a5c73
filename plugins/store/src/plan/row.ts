import type { Value } from './column.ts'

/** A row under its columns' names. */
export type Row = Readonly<Record<string, Value>>
