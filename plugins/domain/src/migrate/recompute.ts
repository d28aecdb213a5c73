import { isDeepStrictEqual } from 'node:util'
import { SYSTEM } from '@svc/kernel'
import type { Row, Table, Transaction } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { ComputedField } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { workOutAll } from '../present/formulas.ts'
import { batches, keyOf, written } from './batches.ts'
import { Groups } from './groups.ts'
import { compareFields } from './narrowing.ts'
import type { ResourcePair } from './pairs.ts'
import type { MigrationStep } from './step.ts'

/** Works stored formulas out for the rows that are there. */
export interface Recompute {
  readonly kind: 'recompute'
  readonly table: Table
  readonly resource: Resource
  readonly fields: readonly string[]
  /** The resource as it was, whose formulas taking the step back works out. */
  readonly back: Resource
}

/** The steps that bring stored formulas of a resource up to date: new and changed ones, and those that read what changed. */
export function recomputeSteps({ from, to, fields }: ResourcePair): readonly MigrationStep[] {
  const former = new Map(fields.kept.map((pair) => [pair.to.name, pair.from]))
  const stored = to.computed.filter(({ column }) => column !== undefined)
  const changed = stored.filter((field) => !isUpToDate(field, to, former))
  if (changed.length === 0) return []
  const names = changed.map(({ name }) => name)
  const replaced = changed.filter(({ name }) => isWrittenByClients(former.get(name))).map(({ name }) => name)
  const message = `${to.name}: ${quoted(names)} ${names.length === 1 ? 'is' : 'are'} worked out anew in the records that are there`
  return [
    {
      kind: 'recompute',
      table: to.table.name,
      message,
      ...(names.length === 1 && { column: names[0]! }),
      ...(replaced.length > 0 && {
        loss: `${to.name}: ${quoted(replaced)} ${replaced.length === 1 ? 'is' : 'are'} worked out from now on: the values that are there are replaced`,
      }),
      ...(replaced.length > 0 && {
        concern: { table: from.table, which: 'filled', of: [{ resource: from }] },
      }),
      work: [{ kind: 'recompute', table: to.table, resource: to, fields: names, back: from }],
    },
  ]
}

/** Runs the step in batches; rows whose values are right already stay untouched. */
export async function recompute(
  { table, resource, fields }: Recompute,
  transaction: Transaction,
): Promise<void> {
  const access = new Access(resource, SYSTEM, Date.now)
  const key = keyOf(table)
  for await (const rows of batches(table, resource.columns, { op: 'always' }, transaction)) {
    for (const { value: values, keys } of changes(rows, key.name, fields, access)) {
      const where = { op: 'in', column: key, values: keys } as const
      await transaction.update({ table, set: written(table, values), where })
    }
  }
}

/** The step that takes one back: the formulas as they were, where they were stored. */
export function reverseRecompute({ resource, back, kind }: Recompute): readonly Recompute[] {
  const fields = back.computed.filter(({ column }) => column !== undefined).map(({ name }) => name)
  return fields.length === 0 ? [] : [{ kind, table: back.table, resource: back, fields, back: resource }]
}

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

/** Whether the former field held what clients wrote. */
const isWrittenByClients = (former: Resource['key'] | undefined): boolean =>
  former !== undefined && former.computed === undefined && former.column !== undefined

type Former = ReadonlyMap<string, Resource['key']>

function isUpToDate(field: ComputedField, to: Resource, former: Former): boolean {
  const before = former.get(field.name)
  if (before?.column === undefined || before.computed?.expression.source !== field.computed.expression.source)
    return false
  return (
    isSameType(before, field) &&
    before.computed.overridable === field.computed.overridable &&
    [...field.computed.expression.fields].every(
      (name) =>
        // What is new no formula of a record names, and a column's new name is carried into these.
        (!field.computed.declared.has(name) && former.get(name)?.name !== name) || isSame(name, to, former),
    )
  )
}

/** Whether a field that a formula reads has the values that it had. */
function isSame(name: string, to: Resource, former: Former): boolean {
  const [before, now] = [former.get(name), to.fields.get(name)]
  if (before === undefined || now === undefined || before.name !== now.name) return false
  if (!isSameType(before, now)) return false
  if (now.computed === undefined) {
    const { narrows, doubts, becomesRequired } = compareFields(before, now)
    return before.computed === undefined && narrows.length + doubts.length === 0 && !becomesRequired
  }
  if (before.computed?.expression.source !== now.computed.expression.source) return false
  if (before.computed.overridable !== now.computed.overridable) return false
  return [...now.computed.declared].every((inner) => isSame(inner, to, former))
}

const isSameType = (a: Resource['key'], b: Resource['key']): boolean =>
  a.compiled.type.name === b.compiled.type.name && isDeepStrictEqual(withoutTexts(a), withoutTexts(b))

/** What decides which results of a formula fit. */
const withoutTexts = ({
  definition: { label: _, description: __, computed: ___, ...rest },
}: Resource['key']) => rest

/** What is to be written for a batch: one entry for all rows that get the same values. */
function changes(rows: readonly Row[], key: string, fields: readonly string[], access: Access): Groups<Row> {
  const groups = new Groups<Row>(fields.flatMap((name) => access.resource.fields.get(name)?.column ?? []))
  for (const row of rows) {
    const record = workOutAll(row, access)
    const values = Object.fromEntries(fields.map((name) => [name, record[name] ?? null]))
    const id = row[key]
    if (
      id === null ||
      id === undefined ||
      fields.every((name) => isDeepStrictEqual(values[name], row[name] ?? null))
    )
      continue
    groups.add(values, id)
  }
  return groups
}
