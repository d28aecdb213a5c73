import { errors } from '@svc/kernel'
import type { Transaction, Value } from '@svc/store/contract'
import { slugify } from '../fields/slug.ts'
import type { Field } from '../model/field.ts'
import { allOf, liveRows } from '../query/live.ts'
import type { Change } from './change.ts'

/** How many candidates one query asks about. */
const BATCH = 20
const MAX_SUFFIX = 10_000

/** Makes the slugs that a new record does not bring, from the fields that they are declared to come from. */
export async function fillSlugs(change: Change, transaction: Transaction): Promise<void> {
  const { values, resource } = change
  for (const field of resource.fields.values()) {
    if (field.from === undefined || typeof values[field.name] === 'string') continue
    const source = values[field.from]
    const base = typeof source === 'string' ? slugify(source, field.definition.maxLength) : ''
    if (base !== '') values[field.name] = field.unique ? await free(base, field, change, transaction) : base
    else if (field.required) throw withoutSource(field)
  }
}

const withoutSource = ({ name, from }: Field) =>
  errors.VALIDATION_ERROR({
    errors: [
      {
        field: name,
        rule: 'required',
        message: `'${name}' is required, or '${from}', which it is made from`,
      },
    ],
  })

/** The first of `base`, `base-2`, `base-3` … that no live record has. */
async function free(
  base: string,
  field: Field,
  { resource }: Change,
  transaction: Transaction,
): Promise<Value> {
  const column = field.column!
  for (let from = 1; from < MAX_SUFFIX; from += BATCH) {
    const candidates = Array.from({ length: BATCH }, (_, at) =>
      suffixed(base, from + at, field.definition.maxLength),
    )
    const where = allOf([{ op: 'in', column, values: candidates }, ...liveRows(resource)])
    const taken = await transaction.select({ table: resource.table, columns: [column], where, order: [] })
    const names = new Set(taken.map((row) => row[column.name]))
    const found = candidates.find((candidate) => !names.has(candidate))
    if (found !== undefined) return found
  }
  return base
}

function suffixed(base: string, number: number, limit = Infinity): string {
  if (number === 1) return base
  const suffix = `-${number}`
  return `${base.slice(0, limit - suffix.length)}${suffix}`
}
