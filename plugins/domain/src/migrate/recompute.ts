import { isDeepStrictEqual } from 'node:util'
import type { Row, Transaction } from '@svc/store/contract'
import { declaredFormulas } from '../crossing/formulas.ts'
import { graphOf } from '../crossing/graph.ts'
import { workOutStored } from '../crossing/work-out.ts'
import { isComputed } from '../model/computed.ts'
import type { ComputedField } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { siblingsOf } from '../model/siblings.ts'
import { batches, keyOf, written } from './batches.ts'
import { Groups } from './groups.ts'
import { compareFields } from './narrowing.ts'
import type { ResourcePair } from './pairs.ts'
import type { MigrationStep, Recompute } from './step.ts'

/**
 * The steps that bring stored formulas up to date: new and changed ones, and those that read what changed. Of resources whose
 * formulas look into other records even where nothing of them has changed itself, in an order in which each formula comes after
 * those that it reads.
 */
export function recomputeSteps(pairs: readonly ResourcePair[]): readonly MigrationStep[] {
  const near = pairs.filter(({ to, isUnchanged }) => !isUnchanged && to.others === undefined)
  const across = pairs.filter(({ to }) => to.others !== undefined)
  const changed = new Map(across.map((pair) => [pair.to, new Set(staleFields(pair, pairs))]))
  return [
    ...near.flatMap((pair) => stepsFor(pair, staleFields(pair, pairs))),
    ...inUnitOrder(changed).flatMap(([to, fields]) =>
      stepsFor(
        across.find((pair) => pair.to === to)!,
        fields,
      ),
    ),
  ]
}

/** The stored formulas of which the records that are there may have other values. */
const staleFields = (pair: ResourcePair, pairs: readonly ResourcePair[]): readonly ComputedField[] =>
  pair.to.computed.filter((field) => field.column !== undefined && !isUpToDate(field, pair, pairs))

type Run = readonly [Resource, readonly ComputedField[]]

/** Fields of several resources in portions of one resource each, in an order in which they can be worked out. */
function inUnitOrder(wanted: ReadonlyMap<Resource, ReadonlySet<ComputedField>>): readonly Run[] {
  const [first] = wanted.keys()
  if (first === undefined) return []
  const { units } = graphOf([...siblingsOf(first).values()].flatMap(declaredFormulas))
  const runs: [Resource, ComputedField[]][] = []
  for (const { resource, fields } of units) {
    const own = fields.filter((field) => wanted.get(resource)?.has(field) === true)
    if (own.length === 0) continue
    const last = runs.at(-1)
    if (last?.[0] === resource) last[1].push(...own)
    else runs.push([resource, own])
  }
  return runs
}

function stepsFor(
  { from, to, fields }: ResourcePair,
  changed: readonly ComputedField[],
): readonly MigrationStep[] {
  if (changed.length === 0) return []
  const former = new Map(fields.kept.map((pair) => [pair.to.name, pair.from]))
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
export async function recompute(step: Recompute, transaction: Transaction): Promise<void> {
  if (step.isWhole !== true) return recomputeIn(step.resource, step.fields, transaction)
  const looking = [...siblingsOf(step.resource).values()].filter(({ others }) => others !== undefined)
  const wanted = new Map(
    looking.map((one) => [one, new Set(one.computed.filter(({ column }) => column !== undefined))]),
  )
  for (const [resource, fields] of inUnitOrder(wanted))
    await recomputeIn(
      resource,
      fields.map(({ name }) => name),
      transaction,
    )
}

async function recomputeIn(
  resource: Resource,
  fields: readonly string[],
  transaction: Transaction,
): Promise<void> {
  const { table } = resource
  const key = keyOf(table)
  const reading = { reader: transaction, resources: siblingsOf(resource), now: Date.now }
  for await (const rows of batches(table, resource.columns, { op: 'always' }, transaction)) {
    const worked = await workOutStored(resource, rows, reading, ({ name }) => fields.includes(name))
    for (const { value: values, keys } of changes(rows, worked, key.name, fields, resource)) {
      const where = { op: 'in', column: key, values: keys } as const
      await transaction.update({ table, set: written(table, values), where })
    }
  }
}

/** The step that takes one back: the formulas as they were, where they were stored. */
export function reverseRecompute({ resource, back, kind }: Recompute): readonly Recompute[] {
  const fields = back.computed.filter(({ column }) => column !== undefined).map(({ name }) => name)
  if (fields.length === 0) return []
  const step = { kind, table: back.table, resource: back, fields, back: resource }
  return [back.others === undefined ? step : { ...step, isWhole: true }]
}

/** What looks into other records is worked out once, when all else is back. */
export const withWholeOnce = (steps: readonly Recompute[]): readonly Recompute[] => [
  ...steps.filter(({ isWhole }) => isWhole !== true),
  ...steps.filter(({ isWhole }) => isWhole === true).slice(-1),
]

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

/** Whether the former field held what clients wrote. */
const isWrittenByClients = (former: Resource['key'] | undefined): boolean =>
  former !== undefined && former.computed === undefined && former.column !== undefined

type Pairs = readonly ResourcePair[]

const formerOf = ({ fields }: ResourcePair): ReadonlyMap<string, Resource['key']> =>
  new Map(fields.kept.map((pair) => [pair.to.name, pair.from]))

function isUpToDate(field: ComputedField, pair: ResourcePair, pairs: Pairs): boolean {
  const former = formerOf(pair)
  const before = former.get(field.name)
  const { computed } = field
  if (before?.column === undefined || before.computed?.expression.source !== computed.expression.source)
    return false
  return (
    isSameType(before, field) &&
    before.computed.overridable === computed.overridable &&
    [...computed.expression.fields].every(
      (name) =>
        // What is new no formula of a record names, and a column's new name is carried into these.
        (!computed.declared.has(name) && former.get(name)?.name !== name) || isSame(name, pair, pairs),
    ) &&
    isSameAcross(field, pairs) &&
    (!computed.overridable || pair.to.others === undefined || pairs.every((one) => isSameFor(one, pairs)))
  )
}

/** Whether what a formula finds in other records is as it was. */
const isSameAcross = ({ computed: { crossings } }: ComputedField, pairs: Pairs): boolean =>
  crossings.every(({ resource, reads }) => {
    const other = pairs.find(({ to }) => to.name === resource)
    if (other === undefined || other.from.name !== resource) return false
    if (other.from.features.softDelete !== other.to.features.softDelete) return false
    return [...reads].every((name) => isSame(name, other, pairs))
  })

/** Whether all that formulas of records may find in a resource is as it was, as far as it is still there under its name. */
const isSameFor = (pair: ResourcePair, pairs: Pairs): boolean =>
  pair.from.features.softDelete === pair.to.features.softDelete &&
  pair.fields.kept.every(
    ({ from, to }) => to.column === undefined || from.name !== to.name || isSame(to.name, pair, pairs),
  )

/** Whether a field that a formula reads has the values that it had. */
function isSame(name: string, pair: ResourcePair, pairs: Pairs): boolean {
  const [before, now] = [formerOf(pair).get(name), pair.to.fields.get(name)]
  if (before === undefined || now === undefined || before.name !== now.name) return false
  if (!isSameType(before, now)) return false
  if (now.computed === undefined) {
    const { narrows, doubts, becomesRequired } = compareFields(before, now)
    return before.computed === undefined && narrows.length + doubts.length === 0 && !becomesRequired
  }
  if (before.computed?.expression.source !== now.computed.expression.source) return false
  if (before.computed.overridable !== now.computed.overridable) return false
  return (
    [...now.computed.declared].every((inner) => isSame(inner, pair, pairs)) &&
    (!isComputed(now) || isSameAcross(now, pairs))
  )
}

const isSameType = (a: Resource['key'], b: Resource['key']): boolean =>
  a.compiled.type.name === b.compiled.type.name && isDeepStrictEqual(withoutTexts(a), withoutTexts(b))

/** What decides which results of a formula fit. */
const withoutTexts = ({
  definition: { label: _, description: __, computed: ___, ...rest },
}: Resource['key']) => rest

/** What is to be written for a batch: one entry for all rows that get the same values. */
function changes(
  rows: readonly Row[],
  worked: readonly Row[],
  key: string,
  fields: readonly string[],
  resource: Resource,
): Groups<Row> {
  const groups = new Groups<Row>(fields.flatMap((name) => resource.fields.get(name)?.column ?? []))
  for (const [at, row] of rows.entries()) {
    const values = Object.fromEntries(fields.map((name) => [name, worked[at]?.[name] ?? null]))
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
