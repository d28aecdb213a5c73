import type { Column, Reader, Table, Value } from '@svc/store/contract'
import type { Field } from '../model/field.ts'

export type Present = Exclude<Value, null>

/** Makes what is to be stored of values that are stored now, in their order. */
export type Convert = (
  values: readonly Present[],
  reader: Reader,
) => readonly Value[] | Promise<readonly Value[]>

/** Reads values as `field` does; those that do not fit become null, or the default where the field is required. */
export function readAs(field: Field): Convert {
  const instead = field.required && field.default !== undefined ? field.default : null
  return (values) => values.map((value) => readOne(value, field) ?? instead)
}

/** Keeps the values that are keys of `table`; the others become null. */
export function keepKeysOf(table: Table, column: Column): Convert {
  return async (values, reader) => {
    const where = { op: 'in', column, values: [...new Set(values)] } as const
    const rows = await reader.select({ table, columns: [column], where, order: [] })
    const known = new Set(rows.map((row) => row[column.name]))
    return values.map((value) => (known.has(value) ? value : null))
  }
}

function readOne(value: Present, field: Field): Value | undefined {
  for (const candidate of readings(value, field)) {
    const checked = field.compiled.check(candidate)
    if ('value' in checked) return checked.value
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
