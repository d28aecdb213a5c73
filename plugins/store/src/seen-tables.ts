import type { Catalog, CatalogTable } from './contract.ts'
import { type IsOutdated, missingSteps } from './missing.ts'
import type { Table } from './plan.ts'

/** What the names of the service's own tables begin with, nearly all. */
export const OWN_PREFIX = 'svc_'

/**
 * The service's own tables as they were seen in the database: at a start one plugin after the other asks for its own, and they are
 * looked for all together.
 */
export class SeenTables {
  readonly #isOutdated: IsOutdated
  readonly #lasts: number
  #tables: ReadonlyMap<string, CatalogTable> = new Map()
  #state: unknown
  #since = -Infinity
  #isComplete = true

  /** `lasts`: for how long it is taken for sure what was seen, in milliseconds. */
  constructor(isOutdated: IsOutdated = () => false, lasts = Infinity) {
    this.#isOutdated = isOutdated
    this.#lasts = lasts
  }

  /** Whether it is worth it to look for all of them: not where some had to be made, as at a first start. */
  isWorth(tables: readonly Table[]): boolean {
    return this.#isComplete && tables.every(({ name }) => name.startsWith(OWN_PREFIX))
  }

  /** Takes up what was seen of all of them; it holds for as long as the schema is in the same state. */
  see({ tables }: Catalog, state: unknown): void {
    this.#tables = new Map(tables.map((table) => [table.name, table]))
    this.#state = state
    this.#since = performance.now()
  }

  /** Some had to be made. */
  miss(): void {
    this.#isComplete = false
  }

  /** Whether all of these were seen, and lack nothing. */
  have(tables: readonly Table[], state: unknown): boolean {
    if (state !== this.#state || performance.now() - this.#since > this.#lasts) return false
    const seen = tables.flatMap(({ name }) => this.#tables.get(name) ?? [])
    return (
      seen.length === tables.length && missingSteps(tables, { tables: seen }, this.#isOutdated).length === 0
    )
  }
}
