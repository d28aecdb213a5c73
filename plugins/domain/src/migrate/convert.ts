import type { Column, Reader, Table, Value } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import { nearest } from './nearest.ts'

export type Present = Exclude<Value, null>

/** What is to be stored in place of a value, and whether the value itself fits. */
export interface Converted {
  readonly value: Value
  readonly fits: boolean
}

/** Makes what is to be stored of values that are stored now, in their order. */
export type Convert = (
  values: readonly Present[],
  reader: Reader,
) => readonly Converted[] | Promise<readonly Converted[]>

/** What takes the place of a value that does not fit. */
export type Instead = 'null' | 'default' | 'nearest'

/** Reads values as `field` does; those that do not fit become something else, and null where there is no such thing. */
export function readAs(field: Field, instead: Instead): Convert {
  return (values) =>
    values.map((stored) => {
      const read = readOne(stored, field)
      return { value: read ?? INSTEAD[instead](stored, field) ?? null, fits: read !== undefined }
    })
}

/** A field that may be null becomes null; one that may not has its default, or comes as near as it can. */
export function insteadIn(field: Field, mayBeNull: boolean): Instead {
  if (mayBeNull) return 'null'
  return (field.default ?? null) === null ? 'nearest' : 'default'
}

const INSTEAD: Readonly<Record<Instead, (value: Present, field: Field) => Value | undefined>> = {
  null: () => null,
  default: (_, field) => field.default,
  nearest: nearestReading,
}

/** Keeps the values that are keys of `table`; the others become null. */
export function keepKeysOf(table: Table, column: Column): Convert {
  return async (values, reader) => {
    const where = { op: 'in', column, values: [...new Set(values)] } as const
    const rows = await reader.select({ table, columns: [column], where, order: [] })
    const known = new Set(rows.map((row) => row[column.name]))
    return values.map((value) => ({ value: known.has(value) ? value : null, fits: known.has(value) }))
  }
}

/** Keeps no key: the table that keys are to lead to is yet to be made. */
export const keepNoKeys: Convert = (values) => values.map(() => ({ value: null, fits: false }))

function readOne(value: Present, field: Field): Value | undefined {
  for (const candidate of readings(value, field)) {
    const checked = field.compiled.check(candidate)
    if ('value' in checked) return checked.value
  }
  return undefined
}

function nearestReading(value: Present, field: Field): Value | undefined {
  for (const reading of readings(value, field)) {
    const found = nearest(reading, field)
    if (found !== undefined) return found
  }
  return undefined
}

/** What a value could mean, most literal first. */
function* readings(value: Present, { compiled }: Field): Iterable<Present> {
  yield value
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const read = compiled.parseText(text)
  if (read !== undefined) yield read
  // A day is read as the moment that it begins.
  if (compiled.type.column === 'datetime') yield `${text}T00:00:00.000Z`
  if (compiled.type.column === 'text') yield text
}
