import { isDeepStrictEqual } from 'node:util'
import type { Row, Transaction } from '@svc/store/contract'
import { declaredFormulas } from '../crossing/formulas.ts'
import { graphOf } from '../crossing/graph.ts'
import { workOutStored } from '../crossing/work-out.ts'
import type { ComputedField } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { siblingsOf } from '../model/siblings.ts'
import { batches, keyOf, written } from './batches.ts'
import { Groups } from './groups.ts'
import type { ResourcePair } from './pairs.ts'
import { Sameness } from './sameness.ts'
import type { MigrationStep, Recompute } from './step.ts'

/**
 * The steps that bring stored formulas up to date: new and changed ones, and those that read what changed. Of resources whose
 * formulas look into other records even where nothing of them has changed itself, in an order in which each formula comes after
 * those that it reads.
 */
export function recomputeSteps(pairs: readonly ResourcePair[]): readonly MigrationStep[] {
  const near = pairs.filter(({ to, isUnchanged }) => !isUnchanged && to.others === undefined)
  const across = pairs.filter(({ to }) => to.others !== undefined)
  const sameness = new Sameness(pairs)
  const changed = new Map(across.map((pair) => [pair.to, new Set(staleFields(pair, sameness))]))
  return [
    ...near.flatMap((pair) => stepsFor(pair, staleFields(pair, sameness))),
    ...inUnitOrder(changed).flatMap(([to, fields]) =>
      stepsFor(
        across.find((pair) => pair.to === to)!,
        fields,
      ),
    ),
  ]
}

/** The stored formulas of which the records that are there may have other values. */
const staleFields = (pair: ResourcePair, sameness: Sameness): readonly ComputedField[] =>
  pair.to.computed.filter((field) => field.column !== undefined && !sameness.isUpToDate(field, pair))

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
