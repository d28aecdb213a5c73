import type { Transaction, Value } from '@svc/store/contract'
import { slugify } from '../fields/slug.ts'
import type { Field } from '../model/field.ts'
import { allOf, liveRows } from '../query/live.ts'
import { finding } from '../speech/sentences.ts'
import type { Change } from './change.ts'
import { invalid } from './refuse.ts'

/** So many numbers are looked at one by one: among them the first that is free is taken. */
const NEAR = 12
/** Beyond them a look asks about ever larger numbers, this far, and then about so many between two of them. */
const FARTHEST = 2 ** 20
const BETWEEN = 64

/** Makes the slugs that a new record does not bring, from the fields that they are declared to come from. */
export async function fillSlugs(change: Change, transaction: Transaction): Promise<void> {
  const { values, resource } = change
  for (const field of resource.fields.values()) {
    if (field.from === undefined || typeof values[field.name] === 'string') continue
    const source = values[field.from]
    const base = typeof source === 'string' ? slugify(source, field.definition.maxLength) : ''
    const { primaryKey } = field
    if (base === '') {
      if (field.required || primaryKey) throw withoutSource(field, change)
      continue
    }
    const isUnique = field.unique || primaryKey
    values[field.name] = isUnique ? await free(base, field, change, transaction) : base
    if (primaryKey) change.key = values[field.name] as Change['key']
  }
}

const withoutSource = ({ name, from }: Field, change: Change) =>
  invalid(change, [{ ...finding('required.source', { from: from ?? null }), field: name }])

/**
 * A number for `base` that no live record has: the first free one, or where the nearest are taken one that follows a
 * taken one. One look in the index finds it, for thousands of equal texts two or three. The unique index decides in the
 * end, since others look at the same time.
 */
async function free(base: string, field: Field, change: Change, transaction: Transaction): Promise<Value> {
  const numbers = givenIn(transaction)
  const name = JSON.stringify([change.resource.table.name, field.name, base])
  const from = numbers.get(name) ?? 1
  const written = (number: number) => suffixed(base, number, field.definition.maxLength)
  const number = await search(from, async (asked) => {
    const names = await takenNames(
      asked.flatMap((one) => written(one) ?? []),
      field,
      change,
      transaction,
    )
    // A number that does not fit is as good as taken.
    return (one) => names.has(written(one) ?? '') || written(one) === undefined
  })
  if (number === undefined) return base
  numbers.set(name, number)
  return written(number) ?? base
}

type Look = (numbers: readonly number[]) => Promise<(number: number) => boolean>

/** The number from `from` on that `look` finds free; undefined where every one is taken. */
async function search(from: number, look: Look): Promise<number | undefined> {
  const near = Array.from({ length: NEAR }, (_, at) => from + at)
  const far: number[] = []
  for (let step = NEAR + 4; step <= FARTHEST; step *= 2) far.push(from + step)
  const isTaken = await look([...near, ...far])
  const first = near.find((number) => !isTaken(number))
  if (first !== undefined) return first
  const found = far.findIndex((number) => !isTaken(number))
  let upper = far[found]
  let lower = far[found - 1] ?? near.at(-1)!
  while (upper !== undefined && upper - lower > 1) {
    const numbers = spread(lower, upper)
    const isHeld = await look(numbers)
    const next = numbers.findIndex((number) => !isHeld(number))
    lower = (next < 0 ? numbers.at(-1) : numbers[next - 1]) ?? lower
    upper = numbers[next] ?? upper
  }
  return upper
}

/** Numbers between two others, evenly apart. */
function spread(lower: number, upper: number): readonly number[] {
  const step = Math.ceil((upper - lower) / BETWEEN)
  const numbers: number[] = []
  for (let number = lower + step; number < upper; number += step) numbers.push(number)
  return numbers
}

/** The numbers that were given last in a transaction: those below are taken for its later rows too. */
const given = new WeakMap<Transaction, Map<string, number>>()

function givenIn(transaction: Transaction): Map<string, number> {
  const known = given.get(transaction) ?? new Map<string, number>()
  given.set(transaction, known)
  return known
}

/** Those of the names that live records have. */
async function takenNames(
  values: readonly string[],
  { column }: Field,
  { resource }: Change,
  transaction: Transaction,
): Promise<ReadonlySet<Value | undefined>> {
  const where = allOf([{ op: 'in', column: column!, values }, ...liveRows(resource)])
  const rows = await transaction.select({ table: resource.table, columns: [column!], where, order: [] })
  return new Set(rows.map((row) => row[column!.name]))
}

/** The base with its number; undefined where that leaves no room for the base. */
function suffixed(base: string, number: number, limit = Infinity): string | undefined {
  if (number === 1) return base
  const suffix = `-${number}`
  const room = limit - suffix.length
  const kept = Array.from(base).slice(0, Math.max(room, 0)).join('').replace(/-$/, '')
  return kept === '' ? undefined : `${kept}${suffix}`
}
