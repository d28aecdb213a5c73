import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type Column,
  type Condition,
  openValue,
  type Row,
  sealValue,
  type Table,
  type Transaction,
  type Value,
} from '@svc/store/contract'
import type { Kept, Mixed } from '../contract/part.ts'
import { keptOf } from '../data/erase.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { codecOf } from '../operations/idempotent.ts'
import { resealKept } from '../write/idempotency.ts'
import type { ModelPairing, Pair, ResourcePair } from './pairs.ts'
import type { MigrationStep, Reseal } from './step.ts'
import { isSealedAlike } from './tables.ts'

/** The step that does so, where fields are sealed from now on, or no longer, or are called otherwise. */
export function resealSteps(
  models: Pair<Model>,
  { resources: { kept } }: ModelPairing,
): readonly MigrationStep[] {
  const isWhole = isWholeIn(models)
  const resources = kept
    .map((pair) => ({ pair, names: namesIn(pair) }))
    .filter(
      ({ pair, names }) => isWhole || hasChanged(pair) || (names.size > 0 && isLedgered(pair.to, models.to)),
    )
    .map(({ pair: { from, to }, names }) => ({ from, to, names }))
  if (resources.length === 0) return []
  const names = resources.map(({ to }) => `'${to.name}'`)
  return [
    {
      kind: 'reseal',
      table: resources[0]!.to.table.name,
      message: `what is kept beside the records of ${names.join(', ')} is kept as they are`,
      work: [{ kind: 'reseal', resources, models, isSealing: isSealingIn(kept) }],
    },
  ]
}

/** Whether what is made of several values is sealed from now on, or no longer. */
const isWholeIn = ({ from, to }: Pair<Model>): boolean =>
  (codecOf(from) === undefined) !== (codecOf(to) === undefined)

const hasChanged = ({ fields }: ResourcePair): boolean =>
  fields.kept.some(({ from, to }) => from.column && to.column && !isSealedAlike(from.column, to.column))

const namesIn = ({ fields }: ResourcePair): ReadonlyMap<string, string> =>
  new Map(
    fields.kept.flatMap(({ from, to }) =>
      from.keptAs === to.keptAs ? [] : [[from.keptAs, to.keptAs] as const],
    ),
  )

/** Whether values of a resource are kept beside it by their names. */
const isLedgered = (resource: Resource, model: Model): boolean =>
  keptOf(resource, model).some(({ reseal }) => reseal !== undefined)

const isSealingIn = (kept: readonly ResourcePair[]): Pair<boolean> => {
  const pairs = kept.flatMap(({ fields }) => fields.kept)
  const isSealed = (column: Column | undefined) => column?.codec !== undefined
  const isClear = (column: Column | undefined) => column !== undefined && !isSealed(column)
  return {
    to: pairs.some(({ from, to }) => isClear(from.column) && isSealed(to.column)),
    from: pairs.some(({ from, to }) => isClear(to.column) && isSealed(from.column)),
  }
}

export async function reseal(
  { resources, models, isSealing }: Reseal,
  transaction: Transaction,
): Promise<void> {
  for (const { from, to, names } of resources) {
    const before = { resource: from, model: models.from, names }
    for (const kept of keptOf(to, models.to))
      if (kept.reseal) await resealTable(kept, (row) => kept.reseal!(row, before), transaction)
  }
  if (isWholeIn(models)) {
    for (const { table, columns } of mixedOf(models))
      await resealTable({ table }, (row) => resealColumns(row, columns, models), transaction)
    const codecs = { from: codecOf(models.from), to: codecOf(models.to) }
    await resealKept(models.to.name, codecs, transaction)
  }
  if (isSealing.to) for (const { part } of models.to.parts) await part.sealed?.(transaction)
}

/** Tables of what is sealed as a whole, those of parts that are no longer there among them: their rows stay. */
function mixedOf({ from, to }: Pair<Model>): readonly Mixed[] {
  const kept = from.parts.filter(({ resource }) => resource === undefined)
  const all = [...to.parts, ...kept].flatMap(({ part }) => part.mixed ?? [])
  return [...new Map(all.toReversed().map((one) => [one.table.name, one])).values()]
}

function resealColumns(row: Row, columns: readonly Column[], { from, to }: Pair<Model>): Row {
  const [before, now] = [codecOf(from), codecOf(to)]
  return Object.fromEntries(
    columns.flatMap(({ name }): (readonly [string, Value])[] => {
      const kept = row[name] ?? null
      return kept === null
        ? []
        : [[name, sealValue({ codec: now }, openValue({ codec: before ?? now }, kept))]]
    }),
  )
}

/** The step that takes one back. */
export const reverseReseal = ({ kind, resources, models, isSealing }: Reseal): Reseal => ({
  kind,
  isSealing: { from: isSealing.to, to: isSealing.from },
  resources: resources.map(({ from, to, names }) => ({
    from: to,
    to: from,
    names: new Map([...names].map(([was, is]) => [is, was])),
  })),
  models: { from: models.to, to: models.from },
})

const BATCH = 500

async function resealTable(
  { table, where = { op: 'always' } }: Pick<Kept, 'table' | 'where'>,
  change: (row: Row) => Row,
  transaction: Transaction,
): Promise<void> {
  const order = table.primaryKey.map((column) => ({ column, descending: false }))
  let rest = where
  for (;;) {
    const rows = await transaction.select({ table, columns: table.columns, where: rest, order, limit: BATCH })
    const changed = rows.flatMap((row): readonly Row[] => {
      const values = Object.entries(change(row)).filter(
        ([name, value]) => !isDeepStrictEqual(value, row[name]),
      )
      return values.length === 0 ? [] : [{ ...keyIn(table, row), ...Object.fromEntries(values) }]
    })
    await transaction.updateRows({ table, rows: changed })
    // Others get their turn: a ledger may be long.
    await setImmediate()
    const last = rows.at(-1)
    if (rows.length < BATCH || last === undefined) return
    rest = { op: 'and', of: [where, comesAfter(table, last)] }
  }
}

const keyIn = ({ primaryKey }: Table, row: Row): Row =>
  Object.fromEntries(primaryKey.map(({ name }) => [name, row[name] ?? '']))

/** Rows behind one in the order of their keys. */
function comesAfter({ primaryKey }: Table, row: Row): Condition {
  const of = primaryKey.map((column, at): Condition => {
    const same = primaryKey
      .slice(0, at)
      .map((one): Condition => ({ op: 'eq', column: one, value: row[one.name] ?? '' }))
    return { op: 'and', of: [...same, { op: 'gt', column, value: row[column.name] ?? '' }] }
  })
  return { op: 'or', of }
}
