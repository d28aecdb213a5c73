import { type Mentioning, type Resource, sourcesOfField } from '@svc/domain/contract'
import type { Column, Row, Table, Value } from '@svc/store/contract'

/** A ledger of values by the names of fields. */
interface Ledger {
  readonly resource: Resource
  readonly table: Table
  readonly recordId: Column
}

/**
 * Where a ledger has values that formulas have found in other records: of whomever these speak, they are copies of what those records
 * held then. All else that it has is its own record's. `without` makes what stands in place of a copy of which `left` is left.
 */
export function copiesIn(
  { resource, table, recordId }: Ledger,
  told: 'audit' | 'versions',
  column: Column,
  without: (kept: Value, left: Value) => Value,
): readonly Mentioning[] {
  const names = copiedFields(resource)
  if (names.size === 0) return []
  return [
    {
      kind: KINDS[told],
      table,
      columns: [column],
      about: { resource, recordId },
      told,
      isClear: true,
      open: (kept) => Object.fromEntries(entriesOf(kept).filter(([name]) => names.has(name))),
      close(left, kept) {
        const copies = new Map(entriesOf(left))
        return Object.fromEntries(
          entriesOf(kept).map(([name, value]) => {
            const copy = copies.get(name)
            return [name, copy === undefined || copy === value ? value : without(value, copy)]
          }),
        )
      },
    },
  ]
}

const KINDS = { audit: 'auditEntry', versions: 'version' } as const

/** The fields, by the names that ledgers know them by, that are stored in the clear and made of what other records hold. */
const copiedFields = (resource: Resource): ReadonlySet<string> =>
  new Set(
    resource.computed
      .filter(({ column }) => column !== undefined && column.codec === undefined)
      .filter((field) => sourcesOfField(field, resource).some(({ isNear }) => !isNear))
      .map(({ keptAs }) => keptAs),
  )

const entriesOf = (kept: Value): readonly [string, Value][] => Object.entries((kept ?? {}) as Row)
