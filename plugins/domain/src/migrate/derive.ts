import { isDeepStrictEqual } from 'node:util'
import type { Row, Transaction } from '@svc/store/contract'
import { deriveFrom } from '../model/derived.ts'
import type { Field } from '../model/field.ts'
import { batches, keyOf } from './batches.ts'
import { Groups } from './groups.ts'
import { compareFields } from './narrowing.ts'
import type { ResourcePair } from './pairs.ts'
import { isSealedAlike } from './tables.ts'
import type { MigrationStep, Derive } from './step.ts'

/** The steps that bring what fields derive up to date, where their values or what they derive may have changed. */
export function deriveSteps({ from, to, fields }: ResourcePair): readonly MigrationStep[] {
  const former = new Map(fields.kept.map((pair) => [pair.to.name, pair.from]))
  return [...to.fields.values()].flatMap((field): readonly MigrationStep[] => {
    const before = former.get(field.name)
    const derives = field.derived.length > 0
    if ((!derives && !before?.derived.length) || isUpToDate(field, before)) return []
    return [
      {
        kind: 'deriveColumn',
        table: to.table.name,
        column: field.name,
        message: derives
          ? `${to.name}: what '${field.name}' derives is worked out for the records that are there`
          : `${to.name}: '${field.name}' derives nothing any more`,
        work: [
          { kind: 'derive', resource: to, field: field.name, back: { resource: from, field: before?.name } },
        ],
      },
    ]
  })
}

/** Runs the step in batches. What is derived is no part of a record: its version stays. */
export async function derive({ resource, field }: Derive, transaction: Transaction): Promise<void> {
  const { column, derived } = resource.fields.get(field)!
  if (column === undefined || derived.length === 0) return
  const { table } = resource
  const key = keyOf(table)
  for await (const rows of batches(table, [column], { op: 'always' }, transaction)) {
    const groups = new Groups<Row>(derived.map((one) => one.column))
    for (const row of rows) {
      const set = deriveFrom(row, derived)
      const id = row[key.name]
      if (set === undefined || id === null || id === undefined) continue
      groups.add(set, id)
    }
    await Promise.all(
      [...groups].map(({ value: set, keys }) =>
        transaction.update({ table, set, where: { op: 'in', column: key, values: keys } }),
      ),
    )
  }
}

/** The step that takes one back: what the fields derived before. */
export const reverseDerive = ({ kind, resource, field, back }: Derive): readonly Derive[] =>
  back.field === undefined
    ? []
    : [{ kind, resource: back.resource, field: back.field, back: { resource, field } }]

function isUpToDate(field: Field, before: Field | undefined): boolean {
  if (before === undefined || before.computed || field.computed) return false
  if (before.compiled.type.name !== field.compiled.type.name || isDefaulted(field, before)) return false
  if (before.column && field.column && !isSealedAlike(before.column, field.column)) return false
  const { narrows, doubts, unrelated } = compareFields(before, field)
  return (
    !unrelated && narrows.length + doubts.length === 0 && isDeepStrictEqual(formsOf(before), formsOf(field))
  )
}

/** Records without a value may get the default of a field that becomes required. */
const isDefaulted = (field: Field, before: Field): boolean =>
  !isDeepStrictEqual(field.default, before.default) || field.required !== before.required

const formsOf = ({ derived }: Field) => derived.map(({ name, column: { kind } }) => [name, kind])
