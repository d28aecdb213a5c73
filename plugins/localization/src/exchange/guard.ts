import { harmless } from '@svc/domain/contract'

/** A text as it stands in CSV: one that might be a formula has a `'` before it, as has one that begins with that. */
export const guarded = (text: string): string => (text.startsWith("'") ? `'${text}` : harmless(text))

/** The text of a cell. */
export const unguarded = (cell: string): string => (/^'[=@\t\r+\-']/.test(cell) ? cell.slice(1) : cell)
