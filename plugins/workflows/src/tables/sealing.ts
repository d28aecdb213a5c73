import { codecOf, type Model } from '@svc/domain/contract'
import { openValue, type Row, sealValue, type Table, type Value } from '@svc/store/contract'

/**
 * Keeps what instances hold as their domain keeps its records: where that seals any of its values, everything that may be
 * made of one is sealed, which is what the tables of instances hold as JSON.
 */
export interface Sealing {
  /** Values of columns as they are kept. */
  seal(table: Table, row: Row): Row
  /** A row as it was before it was sealed; null stands for what a domain cannot open that seals nothing any more. */
  open(table: Table, row: Row): Row
}

/** The sealing of a domain. */
export function sealingOf(model: Model): Sealing {
  return {
    seal: (table, row) => changed(table, row, (value) => sealValue({ codec: codecOf(model) }, value)),
    open: (table, row) => changed(table, row, (kept) => openValue({ codec: codecOf(model) }, kept)),
  }
}

const changed = (table: Table, row: Row, change: (value: Value) => Value): Row => ({
  ...row,
  ...Object.fromEntries(
    table.columns
      .filter(({ kind, name }) => kind === 'json' && (row[name] ?? null) !== null)
      .map(({ name }) => [name, change(row[name] ?? null)]),
  ),
})
