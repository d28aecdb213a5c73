import type { Caller } from '@svc/kernel'
import type { Column, Condition, Reader, Row, Table, Value } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { sourcesOfField } from '../model/sources.ts'
import { batches } from './batches.ts'
import type { Convert, Present } from './convert.ts'

/** The rows that a loss is about, in the tables as they are before the migration. */
export interface Concern {
  readonly table: Table
  /** The column that it is about; undefined where whole records are. */
  readonly column?: Column
  /** Which rows: those without a value, those with one, or those whose value this finds unfit. */
  readonly which: 'empty' | 'filled' | Convert
  /** What the records and the column are called in the models, before and after; undefined: nobody's. */
  readonly of?: readonly Subject[]
  /** What the column is called that may not be left without a value. */
  readonly mustHold?: string
}

/** A resource, and the field that a column belongs to; undefined where whole records are concerned. */
export interface Subject {
  readonly resource: Resource
  readonly field?: Field
}

/** How many rows a loss is about. */
export interface ConcernedRows {
  readonly concerned: number
  /** How many there are in all. */
  readonly of: number
  /** A few of them, as far as whoever asks may see them. */
  readonly examples: readonly Example[]
  /** How many of them would be left without a value that they have to have. */
  readonly hopeless: number
}

export interface Example {
  readonly key?: Value
  readonly value?: Value
  /** What the value becomes. */
  readonly becomes?: Value
}

const EXAMPLES = 3
/** The most characters that a message repeats of a value. */
const SHOWN = 60

/** Counts the rows; shows examples to `caller`, and to nobody where there is none. */
export async function countConcerned(
  concern: Concern,
  reader: Reader,
  caller: Caller | undefined,
): Promise<ConcernedRows> {
  const { table, which } = concern
  const of = await reader.count({ table, where: { op: 'always' } })
  const sight = sightOf(concern, caller)
  const counted =
    typeof which === 'string' ? stored(concern, reader, sight) : unfit(concern, which, reader, sight)
  return { of, ...(await counted) }
}

/** The same in words that end a message. */
export function inWords({ concerned, of, examples, hopeless }: ConcernedRows, { mustHold }: Concern): string {
  const shown = examples.map(({ key, value, becomes }) =>
    [
      ...(key === undefined ? [] : [quoted(key)]),
      ...(value === undefined ? [] : [`with ${quoted(value)}`]),
      ...(becomes === undefined ? [] : [`becomes ${quoted(becomes)}`]),
    ].join(' '),
  )
  const such = shown.length === 0 ? '' : `, such as ${shown.join('; ')}`
  const refused =
    hopeless === 0
      ? ''
      : `. It is refused: ${hopeless} of them would be left without '${mustHold ?? ''}', which is required; change them first, or declare a default`
  return `${concerned} of ${of} records ${concerned === 1 ? 'is' : 'are'} concerned${such}${refused}`
}

type Counted = Omit<ConcernedRows, 'of'>

async function stored({ table, column, which }: Concern, reader: Reader, sight: Sight): Promise<Counted> {
  const isEmpty: Condition = column ? { op: 'null', column } : { op: 'never' }
  const where: Condition =
    which === 'empty' ? isEmpty : column ? { op: 'not', of: isEmpty } : { op: 'always' }
  const concerned = await reader.count({ table, where })
  const shown = which === 'filled' ? sight : { ...sight, value: [] }
  const columns = [...shown.key, ...shown.value]
  if (columns.length === 0 || concerned === 0) return { concerned, examples: [], hopeless: 0 }
  const order = table.primaryKey.map((one) => ({ column: one, descending: false }))
  const rows = await reader.select({ table, columns, where, order, limit: EXAMPLES })
  return { concerned, examples: rows.map((row) => exampleOf(row, shown)), hopeless: 0 }
}

async function unfit(
  { table, column, mustHold }: Concern,
  convert: Convert,
  reader: Reader,
  sight: Sight,
): Promise<Counted> {
  let [concerned, hopeless] = [0, 0]
  const examples: Example[] = []
  const filled: Condition = { op: 'not', of: { op: 'null', column: column! } }
  for await (const rows of batches(table, [column!], filled, reader)) {
    const converted = await convert(
      rows.map((row) => row[column!.name] as Present),
      reader,
    )
    for (const [at, { value, fits }] of converted.entries()) {
      if (fits) continue
      concerned += 1
      if (value === null && mustHold !== undefined) hopeless += 1
      if (examples.length < EXAMPLES) examples.push(exampleOf(rows[at]!, sight, value))
    }
  }
  const isSeen = sight.key.length + sight.value.length > 0
  return { concerned, hopeless, examples: isSeen ? examples : [] }
}

/** The columns that examples may show: at most one of each. */
interface Sight {
  readonly key: readonly Column[]
  readonly value: readonly Column[]
}

const NOTHING: Sight = { key: [], value: [] }

/**
 * Whoever may read every record may see their keys, and the values of the fields that it may read in all of them: never
 * those that are hidden or told to be secret, or made of such, nor what other values are inside of.
 */
function sightOf({ table, column, of: subjects = [] }: Concern, caller: Caller | undefined): Sight {
  const [key] = table.primaryKey
  if (caller === undefined || subjects.length === 0 || key === undefined) return NOTHING
  const accesses = subjects.map(({ resource }) => new Access(resource, caller, Date.now))
  if (accesses.some((access) => access.rowsIfAny('list')?.op !== 'always')) return NOTHING
  const isOpen = (field: Field, { resource }: Subject) =>
    ![{ field }, ...sourcesOfField(field, resource)].some((one) => isSecret(one.field))
  const areOpen = (fields: readonly (Field | undefined)[]) =>
    fields.every((field, at) => field && isOpen(field, subjects[at]!) && accesses[at]?.readable(field.name))
  return {
    key: areOpen(subjects.map(({ resource }) => resource.key)) ? [key] : [],
    value: column && areOpen(subjects.map(({ field }) => field)) ? [column] : [],
  }
}

function isSecret({ hidden, compiled: { type }, column, definition: { privacy = {} } }: Field): boolean {
  const { encrypted, sensitive, phi, pii } = privacy
  if (hidden || !type.readable || type.name === 'token' || column?.kind === 'json' || column?.codec)
    return true
  return [encrypted, sensitive, phi, pii].includes(true)
}

function exampleOf(row: Row, { key: [key], value: [column] }: Sight, becomes?: Value): Example {
  return {
    ...(key && { key: row[key.name] ?? null }),
    ...(column && { value: row[column.name] ?? null }),
    ...(column && becomes !== undefined && { becomes }),
  }
}

function quoted(value: Value): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN ? text : `${Array.from(text).slice(0, SHOWN).join('')}…`
}
