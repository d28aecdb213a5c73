import type { Column, Row, Value } from '@svc/store/contract'
import type { CompiledType, Derivation, FieldColumns } from '../fields/field-type.ts'
import { derivedColumnName } from './names.ts'

/** A column beside that of a field, with what is derived for it from the field's values. */
export interface DerivedColumn {
  /** The name of the derivation. */
  readonly name: string
  readonly field: string
  readonly column: Column
  readonly isIndexed: boolean
  readonly derive: Derivation['derive']
}

/** The columns that a field of this name and type keeps beside its own. */
export function derivedColumns(field: string, { derived }: CompiledType): readonly DerivedColumn[] {
  if (derived === undefined) return NONE
  return Object.entries(derived).map(([name, { column: kind, index = false, derive }]) =>
    Object.freeze({
      name,
      field,
      column: Object.freeze({ name: derivedColumnName(field, name), kind, nullable: true }),
      isIndexed: index,
      derive,
    }),
  )
}

const known = new WeakMap<Column, FieldColumns>()

/** A field as far as it is kept. */
interface KeptField {
  readonly compiled: CompiledType
  readonly column: Column | undefined
  readonly derived: readonly DerivedColumn[]
}

/** The columns of a stored field as its type knows them. */
export function columnsOf(field: Omit<KeptField, 'compiled'>): FieldColumns {
  const value = field.column!
  const found = known.get(value)
  if (found) return found
  const derived = Object.fromEntries(field.derived.map(({ name, column }) => [name, column]))
  const made = Object.freeze({ value, derived })
  known.set(value, made)
  return made
}

/** How values of a field are compared for equality. */
export interface Equality {
  readonly column: Column
  /** The form of a value there. */
  of(value: Exclude<Value, null>): Exclude<Value, null>
}

const equalities = new WeakMap<Column, Equality>()

/** By what equal values of a field are found; undefined where nothing finds them. */
export function equalityOf({
  column,
  compiled: { codec, equality },
  derived,
}: KeptField): Equality | undefined {
  if (column === undefined) return undefined
  const known = equalities.get(column)
  if (known) return known
  const made = codec === undefined ? { column, of: asItIs } : byDerivation(equality, derived)
  if (made) equalities.set(column, made)
  return made
}

const asItIs = (value: Exclude<Value, null>): Exclude<Value, null> => value

function byDerivation(name: string | undefined, derived: readonly DerivedColumn[]): Equality | undefined {
  const found = derived.find((one) => one.name === name)
  // What has no form equals nothing: no derivation makes an empty text.
  return found && { column: found.column, of: (value) => found.derive(value) ?? '' }
}

const NONE: readonly DerivedColumn[] = Object.freeze([])

/** What the derived columns hold beside these values; undefined where the values derive nothing. */
export function deriveFrom(values: Row, derived: readonly DerivedColumn[]): Row | undefined {
  let made: Record<string, Value> | undefined
  for (const { field, column, derive } of derived) {
    const value = values[field]
    if (value !== undefined) (made ??= {})[column.name] = value === null ? null : derive(value)
  }
  return made
}
