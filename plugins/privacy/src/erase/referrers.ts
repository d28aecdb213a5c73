import type { BelongsTo, Model, Resource } from '@svc/domain/contract'
import type { Condition, Reader, Row, Value } from '@svc/store/contract'
import { PORTION } from '../subjects/find.ts'

/** A record that refers to another one, and what is to become of it when that one goes. */
export interface Referrer {
  readonly resource: Resource
  readonly row: Row
  readonly link: BelongsTo
}

/** What refers to records, by their place. */
export type Referrers = ReadonlyMap<string, readonly Referrer[]>

/** The place of a record among all. */
export const placeOf = (resource: Resource, row: Row): string =>
  `${resource.name}\n${String(row[resource.key.name])}`

/** What refers to records that are to go, and to those that would go along. */
export async function referrersOf(
  records: readonly { readonly resource: Resource; readonly row: Row }[],
  model: Model,
  reader: Reader,
): Promise<Referrers> {
  const found = new Map<string, Referrer[]>()
  const seen = new Set<string>()
  let frontier = records
  while (frontier.length > 0) {
    const next: { resource: Resource; row: Row }[] = []
    for (const [target, rows] of byResource(frontier))
      for (const { resource, link } of linksTo(target, model)) {
        const column = resource.fields.get(link.foreignKey)?.column
        if (column === undefined) continue
        const keys = rows.map((row) => row[target.key.name]!)
        for (const row of await rowsBy(resource, column, keys, reader)) {
          const at = `${target.name}\n${String(row[link.foreignKey])}`
          const known = found.get(at)
          if (known === undefined) found.set(at, [{ resource, row, link }])
          else known.push({ resource, row, link })
          const place = placeOf(resource, row)
          if (link.onDelete !== 'cascade' || seen.has(place)) continue
          seen.add(place)
          next.push({ resource, row })
        }
      }
    frontier = next
  }
  return found
}

function byResource(records: readonly { readonly resource: Resource; readonly row: Row }[]) {
  const groups = new Map<Resource, Row[]>()
  for (const { resource, row } of records) {
    const known = groups.get(resource)
    if (known === undefined) groups.set(resource, [row])
    else known.push(row)
  }
  return groups
}

const linksTo = ({ name }: Resource, { resources }: Model) =>
  [...resources.values()].flatMap((resource) =>
    [...resource.relationships.values()].flatMap((link) =>
      link.kind === 'belongsTo' &&
      link.onDelete !== 'none' &&
      link.target.kind === 'resource' &&
      link.target.name === name
        ? [{ resource, link }]
        : [],
    ),
  )

async function rowsBy(
  { table, columns }: Resource,
  column: Resource['columns'][number],
  keys: readonly Exclude<Value, null>[],
  reader: Reader,
): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let at = 0; at < keys.length; at += PORTION) {
    const where: Condition = { op: 'in', column, values: keys.slice(at, at + PORTION) }
    found.push(...(await reader.select({ table, columns, where, order: [] })))
  }
  return found
}
