import type { Value } from './column.ts'

/** Another form of values at rest, such as their ciphertext. Null stays null. */
export interface Codec {
  /** The form that is kept. Equal values may have different ones. */
  seal(value: Exclude<Value, null>): string
  /** The value of a kept form. Throws where there is none: what cannot be opened is never taken for null. */
  open(kept: string): Exclude<Value, null>
}

/** The name under which JSON has the sealed form of a value. */
const SEALED = '~sealed'

/** What may seal values: a column, or what stands for one. */
interface Sealing {
  readonly codec?: Codec | undefined
}

/** A value of a column as JSON elsewhere may hold it at rest: sealed where the column seals its values. */
export function sealValue({ codec }: Sealing, value: Value): Value {
  return codec === undefined || value === null ? value : { [SEALED]: codec.seal(value) }
}

/**
 * What `sealValue` made of a value, or the value itself where it was kept in the clear. What is kept beside records
 * outlives what it was kept by: null where nothing is there to open it any more.
 */
export function openValue({ codec }: Sealing, kept: Value): Value {
  const sealed = sealedFormOf(kept)
  if (sealed === undefined) return kept
  return codec === undefined ? null : codec.open(sealed)
}

function sealedFormOf(kept: Value): string | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined
  const [[name, sealed] = [], ...more] = Object.entries(kept)
  return name === SEALED && more.length === 0 && typeof sealed === 'string' ? sealed : undefined
}
