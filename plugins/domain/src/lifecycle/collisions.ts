import type { CatalogTable } from '@svc/store/contract'
import { type Problem, problem } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'

/** Tables that a model wants and that belong to something else: another domain, or the server itself. */
export function takenTables(
  model: Model,
  current: Model | undefined,
  present: readonly CatalogTable[],
): readonly Problem[] {
  const own = new Set(current?.tables.map(({ name }) => name))
  const taken = new Set(present.map(({ name }) => name).filter((name) => !own.has(name)))
  const owners = new Map([...model.resources.values()].map(({ name, table }) => [table.name, name]))
  return model.tables
    .filter(({ name }) => taken.has(name))
    .map(({ name }) => {
      const owner = owners.get(name)
      return problem(
        ['domain', 'resources', ...(owner === undefined ? [] : [owner])],
        `the table '${name}' belongs to something else`,
        undefined,
        'give the resource, the junction or the domain another name',
      )
    })
}

/** Addresses that something else answers at; `check` throws as mounting would. */
export function takenRoutes(check: () => void): readonly Problem[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [problem(['domain', 'api'], error.message, undefined, "choose another 'prefix' or path")]
  }
}
