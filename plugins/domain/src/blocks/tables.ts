import type { CatalogTable, Table } from '@svc/store/contract'
import { type Problem, problem } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'
import type { ResourcePair } from '../migrate/pairs.ts'

/** The tables that blocks keep for a model. */
export const partTables = ({ parts }: Pick<Model, 'parts'>): readonly Table[] =>
  parts.flatMap(({ part }) => Object.values(part.tables ?? {}))

/** Those of a domain's parts that a migration already fills, or seals. */
export const tracingTables = ({ parts }: Pick<Model, 'parts'>): readonly Table[] =>
  parts.flatMap(({ resource, part }) =>
    resource === undefined && (part.traces || part.mixed) ? Object.values(part.tables ?? {}) : [],
  )

/** Tables of blocks that both models have: of one name under one key in one place. */
export function pairPartTables(
  from: Model,
  to: Model,
  resources: readonly ResourcePair[],
): readonly { readonly from: Table; readonly to: Table }[] {
  const successor = new Map(resources.map((pair) => [pair.from, pair.to]))
  return from.parts.flatMap(({ key, resource, part }) => {
    const place = resource && successor.get(resource)
    if (resource !== undefined && place === undefined) return []
    const other = to.parts.find((one) => one.key === key && one.resource === place)
    return Object.entries(part.tables ?? {}).flatMap(([name, table]) => {
      const now = other?.part.tables?.[name]
      return now ? { from: table, to: now } : []
    })
  })
}

/** Tables that blocks want and that belong to something else. A table of the same form is taken up again. */
export function takenPartTables(
  model: Model,
  current: Model | undefined,
  others: readonly Model[],
  present: readonly CatalogTable[],
): readonly Problem[] {
  const own = new Set(current ? partTables(current).map(({ name }) => name) : [])
  const foreign = new Set(
    others.flatMap((one) => [...one.tables, ...partTables(one)].map(({ name }) => name)),
  )
  const seen = new Set(model.tables.map(({ name }) => name))
  return model.parts.flatMap(({ key, resource, part }) =>
    Object.values(part.tables ?? {}).flatMap((table) => {
      const there = present.find(({ name }) => name === table.name)
      const isTaken =
        seen.has(table.name) ||
        foreign.has(table.name) ||
        (there !== undefined && !own.has(table.name) && !hasForm(table, there))
      seen.add(table.name)
      if (!isTaken) return []
      const path = resource ? ['domain', 'resources', resource.name, key] : ['domain', key]
      return problem(
        path,
        `the table '${table.name}' belongs to something else`,
        undefined,
        'choose another name',
      )
    }),
  )
}

const hasForm = ({ columns }: Table, there: CatalogTable): boolean => {
  const names = new Set(there.columns.map(({ name }) => name))
  return columns.length === names.size && columns.every(({ name }) => names.has(name))
}
