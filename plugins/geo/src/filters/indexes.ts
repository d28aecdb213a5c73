import type { Model } from '@svc/domain/contract'
import type { Column, Index, SpatialCondition, Store, Table } from '@svc/store/contract'

type Found = NonNullable<SpatialCondition['found']>

/**
 * The spatial indexes that the database is known to have. A definition does not tell: a field may be older than what the
 * database can do. One that is not known of costs time, and changes no answer.
 */
export class Indexes {
  readonly #found = new WeakMap<Column, Found>()

  /** The index over a column of a model in force. */
  over(column: Column): Found | undefined {
    return this.#found.get(column)
  }

  /** Looks at what the database has of a model, after it made what is missing and can be made. */
  async look(model: Model, store: Store): Promise<void> {
    const wanted = wantedOf(model)
    const missing = absent(wanted, await store.catalog()).filter(
      (step) => store.explain({ kind: 'createIndex', ...step }).length > 0,
    )
    for (const step of missing)
      await store.define(
        async (definition) => void (await definition.apply({ kind: 'createIndex', ...step })),
      )
    const without = new Set(absent(wanted, await store.catalog()).map(({ index }) => index))
    for (const one of wanted) if (!without.has(one.index)) this.#found.set(one.index.columns[0]!, one)
  }
}

interface Wanted {
  readonly table: Table
  readonly index: Index
}

/** The spatial indexes of a model. */
export const wantedOf = ({ resources }: Model): readonly Wanted[] =>
  [...resources.values()].flatMap(({ table }) =>
    table.indexes.filter(({ spatial }) => spatial).map((index) => ({ table, index })),
  )

function absent(
  wanted: readonly Wanted[],
  { tables }: Awaited<ReturnType<Store['catalog']>>,
): readonly Wanted[] {
  const present = new Map(tables.map(({ name, indexes }) => [name, new Set(indexes.map((one) => one.name))]))
  // A table that another server has taken away in the meantime has no index to make.
  return wanted.filter(({ table, index }) => present.get(table.name)?.has(index.name) === false)
}
