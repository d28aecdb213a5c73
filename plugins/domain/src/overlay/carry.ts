import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import type { Graph } from '../crossing/graph.ts'
import { crossPlan } from '../crossing/plan.ts'
import { domainErrors } from '../errors.ts'
import { batches, keyOf } from '../migrate/batches.ts'
import type { Resource } from '../model/resource.ts'
import { siblingsOf } from '../model/siblings.ts'
import { acrossFault, chainFault } from '../write/overrides.ts'
import { malformed, type Reading } from '../write/refuse.ts'
import { carriedFormula } from './formula.ts'
import { namesField, type Renaming } from './renaming.ts'

/** Throws REFERENCED where formulas of records, of whichever resource, read a column that is about to go. */
export async function assertUnread(resource: Resource, name: string, reader: Reader): Promise<void> {
  const found = new Set<string>()
  let records = 0
  for (const one of siblingsOf(resource).values())
    for await (const rows of overridden(one, reader))
      for (const row of rows) {
        const reading = one.overrides.filter((field) =>
          namesField(String(row[field.name] ?? ''), one.name, resource.name, name),
        )
        if (reading.length > 0) records += 1
        for (const field of reading) found.add(one === resource ? field.name : `${one.name}.${field.name}`)
      }
  if (records === 0) return
  const names = [...found].map((one) => `'${one}'`).join(', ')
  throw domainErrors.REFERENCED({
    message: `'${name}' is read by ${names} of ${records} ${records === 1 ? 'record' : 'records'}: change these formulas first`,
  })
}

/**
 * Throws VALIDATION_ERROR where a column that is worked out has come by a name for which formulas of records ask already, and closes
 * a circle with these, or makes a chain too long.
 */
export async function assertNoCircleBy(
  name: string,
  field: 'name' | 'expression',
  reading: Reading,
  reader: Reader,
): Promise<void> {
  const { resource } = reading
  if (resource.fields.get(name)?.computed === undefined) return
  let graph: Graph | undefined
  for await (const rows of overridden(resource, reader))
    for (const row of rows) {
      const isNamed = resource.overrides.some((one) =>
        namesField(String(row[one.name] ?? ''), resource.name, resource.name, name),
      )
      if (!isNamed) continue
      graph ??= await crossPlan(siblingsOf(resource))?.graph(reader)
      const message = chainFault(name, row, resource, graph) ?? (graph && acrossFault(name, resource, graph))
      if (message !== undefined) throw malformed(reading, [{ field, rule: 'expression', message }])
    }
}

/** Carries a new name of a column into the formulas of records. Throws VALIDATION_ERROR where one cannot follow. */
export async function carryName(
  renaming: Renaming,
  reading: Reading,
  transaction: Transaction,
): Promise<void> {
  for (const one of siblingsOf(reading.resource).values())
    await carryInto(
      one,
      (source, name) => carriedFormula(source, { resource: one.name, name }, renaming, reading),
      transaction,
    )
}

async function carryInto(
  { table, overrides }: Resource,
  carried: (source: string, name: string) => string,
  transaction: Transaction,
): Promise<void> {
  const key = keyOf(table)
  for await (const rows of overridden({ table, overrides }, transaction))
    for (const row of rows) {
      const set = Object.fromEntries(
        overrides.flatMap(({ name }): readonly (readonly [string, string])[] => {
          const source = row[name] ?? null
          if (source === null) return []
          const now = carried(String(source), name)
          return now === source ? [] : [[name, now]]
        }),
      )
      if (Object.keys(set).length === 0) continue
      await transaction.update({ table, set, where: { op: 'eq', column: key, value: row[key.name]! } })
    }
}

async function* overridden(
  { table, overrides }: Pick<Resource, 'table' | 'overrides'>,
  reader: Reader,
): AsyncIterable<readonly Row[]> {
  if (overrides.length === 0) return
  const of: readonly Condition[] = overrides.map(({ column }) => ({
    op: 'not',
    of: { op: 'null', column: column! },
  }))
  const columns = overrides.flatMap(({ column }) => column ?? [])
  yield* batches(table, columns, { op: 'or', of }, reader)
}
