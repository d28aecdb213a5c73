import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import { batches, keyOf } from '../migrate/batches.ts'
import type { Resource } from '../model/resource.ts'
import { siblingsOf } from '../model/siblings.ts'
import { namesField, type Renaming, withRenamed } from './renaming.ts'

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

/** Carries a new name of a column into the formulas of records; `resource` is the one that knows it. */
export async function carryName(
  resource: Resource,
  from: string,
  to: string,
  transaction: Transaction,
): Promise<void> {
  for (const one of siblingsOf(resource).values())
    await carryInto(one, { resource: resource.name, from, to }, transaction)
}

async function carryInto(resource: Resource, renaming: Renaming, transaction: Transaction): Promise<void> {
  const { table, overrides, name: of } = resource
  const key = keyOf(table)
  for await (const rows of overridden(resource, transaction))
    for (const row of rows) {
      const set = Object.fromEntries(
        overrides.flatMap(({ name }): readonly (readonly [string, string])[] => {
          const source = row[name] ?? null
          const now = source === null ? source : withRenamed(String(source), of, renaming)
          return now === source || now === null ? [] : [[name, now]]
        }),
      )
      if (Object.keys(set).length === 0) continue
      await transaction.update({ table, set, where: { op: 'eq', column: key, value: row[key.name]! } })
    }
}

async function* overridden({ table, overrides }: Resource, reader: Reader): AsyncIterable<readonly Row[]> {
  if (overrides.length === 0) return
  const of: readonly Condition[] = overrides.map(({ column }) => ({
    op: 'not',
    of: { op: 'null', column: column! },
  }))
  const columns = overrides.flatMap(({ column }) => column ?? [])
  yield* batches(table, columns, { op: 'or', of }, reader)
}
