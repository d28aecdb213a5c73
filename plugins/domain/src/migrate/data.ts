import { errors } from '@svc/kernel'
import { isDeepStrictEqual } from 'node:util'
import type { Column, Condition, Reader, Row, Transaction, Value } from '@svc/store/contract'
import { counterName, moveCounter, raiseCounter } from '../write/counters.ts'
import { batches, counted, keyOf, written } from './batches.ts'
import type { Present } from './convert.ts'
import { derive } from './derive.ts'
import { followName } from './follow-names.ts'
import { Groups } from './groups.ts'
import { recompute } from './recompute.ts'
import { reseal } from './reseal.ts'
import { retrace } from './retrace.ts'
import type { DataStep, Fill, RaiseCounter, Rewrite } from './step.ts'

/** Runs a step, on all rows and in batches where it is about rows. */
export async function runData(step: DataStep, transaction: Transaction): Promise<void> {
  if (step.kind === 'moveCounter') await moveCounter(step.from, step.to, transaction)
  else if (step.kind === 'raiseCounter') await raise(step, transaction)
  else if (step.kind === 'followName') await followName(step, transaction)
  else if (step.kind === 'rewrite') await rewrite(step, transaction)
  else if (step.kind === 'recompute') await recompute(step, transaction)
  else if (step.kind === 'derive') await derive(step, transaction)
  else if (step.kind === 'retrace') await retrace(step, transaction)
  else if (step.kind === 'reseal') await reseal(step, transaction)
  else await fill(step, transaction)
}

const raise = async ({ to }: RaiseCounter, transaction: Transaction): Promise<void> =>
  to && raiseCounter(to.table, to.column, transaction)

async function fill({ table, column, value }: Fill, transaction: Transaction): Promise<void> {
  const set = written(table, { [column.name]: value })
  const empty = { op: 'null', column } as const
  if (column.codec === undefined) return void (await transaction.update({ table, set, where: empty }))
  // One statement would write one sealed form to all of them.
  const key = keyOf(table)
  for await (const rows of batches(table, [key], empty, transaction)) {
    for (const row of rows) {
      const where = { op: 'eq', column: key, value: row[key.name] ?? '' } as const
      await transaction.update({ table, set, where })
    }
  }
}

/** Whether a rewriting would change any value. */
export async function changesAny(step: Rewrite, reader: Reader): Promise<boolean> {
  for await (const rows of filledBatches(step, reader)) {
    if ((await changes(step, rows, reader)).length > 0) return true
  }
  return false
}

/** What a step does, in words: it has no SQL of its own. */
export function describeData(step: DataStep): string {
  if (step.kind === 'moveCounter') return `-- the counter '${step.from}' goes on as '${step.to}'`
  if (step.kind === 'raiseCounter') return describeRaise(step)
  if (step.kind === 'followName') return `-- what is kept about '${step.from}' is about '${step.to}'`
  if (step.kind === 'derive')
    return `-- "${step.resource.table.name}": what "${step.field}" derives, in each row`
  if (step.kind === 'retrace')
    return `-- what records of ${step.moves.map(({ from, to }) => `"${(to ?? from)!.table.name}"`).join(', ')} refer to is found anew`
  if (step.kind === 'reseal')
    return `-- what is kept beside ${step.resources.map(({ to }) => `"${to.table.name}"`).join(', ')} is kept as that is`
  const { table } = step
  if (step.kind === 'recompute')
    return `-- "${table.name}": ${step.fields.map((name) => `"${name}"`).join(', ')} worked out anew in each row`
  if (step.kind === 'fill')
    return `-- "${table.name}"."${step.column.name}": ${JSON.stringify(step.value)} where it is null`
  return `-- "${table.name}"."${step.to.name}": each value of "${step.from.name}", as far as it fits`
}

const describeRaise = ({ to, from }: RaiseCounter): string => {
  const { table, column } = (to ?? from)!
  const counter = counterName(table.name, column.name)
  return `-- the counter '${counter}' ${to ? 'goes on past every number that is stored' : 'rests'}`
}

async function rewrite(step: Rewrite, transaction: Transaction): Promise<void> {
  const { table, to } = step
  const key = keyOf(table)
  for await (const rows of filledBatches(step, transaction)) {
    const changed = await changes(step, rows, transaction)
    if (changed.length > rows.length / 2) {
      const all = changed.flatMap(({ value, keys }) =>
        keys.map((of): Row => ({ [key.name]: of, [to.name]: value })),
      )
      await transaction.updateRows({ table, rows: all, increments: counted(table) })
      continue
    }
    for (const { value, keys } of changed) {
      const where = { op: 'in', column: key, values: keys } as const
      await transaction.update({ table, set: written(table, { [to.name]: value }), where })
    }
  }
}

interface Change {
  readonly value: Value
  readonly keys: readonly Present[]
}

/** What is to be written for a batch: one entry for all rows that get the same value. */
async function changes(step: Rewrite, rows: readonly Row[], reader: Reader): Promise<readonly Change[]> {
  const { table, from, to } = step
  const found = rows.flatMap((row) => pairOf(row[keyOf(table).name], row[from.name]))
  const converted = await step.convert(
    found.map(({ value }) => value),
    reader,
  )
  const groups = new Groups<Value>([to])
  found.forEach(({ key, value: old }, at) => {
    const value = converted[at]?.value ?? null
    if (value === null && step.mustHold) throw leftWithout(to)
    if (from.name === to.name && isDeepStrictEqual(value, old)) return
    groups.add(value, key)
  })
  return [...groups]
}

/** Such rows were counted before: this one came meanwhile. */
const leftWithout = ({ name }: Column) =>
  errors.CONFLICT({
    message: `A record would be left without '${name}', which is required: change it first, or declare a default`,
  })

const pairOf = (key: Value | undefined, value: Value | undefined) =>
  key === null || key === undefined || value === null || value === undefined ? [] : [{ key, value }]

/** The rows that have a value. */
function filledBatches({ table, from }: Rewrite, reader: Reader): AsyncIterable<readonly Row[]> {
  const filled: Condition = { op: 'not', of: { op: 'null', column: from } }
  return batches(table, [from], filled, reader)
}
