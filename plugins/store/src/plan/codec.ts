import type { Value } from './value.ts'

/** Another form of values at rest, such as their ciphertext. Null stays null. */
export interface Codec {
  /**
   * The form that is kept. Equal values may have different ones. `of` is the key of the record that the value belongs to,
   * as text; it is handed over where `bound` says so.
   */
  seal(value: Exclude<Value, null>, of?: string): string
  /** The value of a kept form. Throws where there is none: what cannot be opened is never taken for null. */
  open(kept: string, of?: string): Exclude<Value, null>
  /**
   * Says that a form opens for the record alone that it was made for. A column of such values stands in a table whose key is
   * one column; every write of it names the key of the one row that it is about.
   */
  readonly bound?: true
  /** What forms are made by: columns whose codecs say the same keep values alike. Unless said, all do. */
  readonly form?: string
  /** What seals that which is made of values of several fields or records, and bound to none of them; itself unless said. */
  readonly mixed?: Codec
}

/** The name under which JSON has the sealed form of a value. */
const SEALED = '~sealed'

/** What may seal values: a column, or what stands for one. */
interface Sealing {
  readonly codec?: Codec | undefined
}

/**
 * A value of a column as JSON elsewhere may hold it at rest: sealed where the column seals its values, for the record of
 * the key `of` where they are bound.
 */
export function sealValue({ codec }: Sealing, value: Value, of?: Value): Value {
  return codec === undefined || value === null ? value : { [SEALED]: codec.seal(value, ownerOf(of)) }
}

/**
 * What `sealValue` made of a value, or the value itself where it was kept in the clear. What is kept beside records
 * outlives what it was kept by: null where nothing is there to open it any more.
 */
export function openValue({ codec }: Sealing, kept: Value, of?: Value): Value {
  const sealed = sealedFormOf(kept)
  if (sealed === undefined) return kept
  return codec === undefined ? null : codec.open(sealed, ownerOf(of))
}

/** The key of a record as codecs know it. */
const ownerOf = (key: Value | undefined): string | undefined =>
  key === undefined || key === null ? undefined : String(key)

function sealedFormOf(kept: Value): string | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined
  const [[name, sealed] = [], ...more] = Object.entries(kept)
  return name === SEALED && more.length === 0 && typeof sealed === 'string' ? sealed : undefined
}
