import type { Access, Data } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Column, Row, Table, Value } from '@svc/store/contract'
import type { z } from 'zod'

/** A ledger whose entries administrators look at: the log of rules, instances, firings, messages. */
export interface Ledger {
  /** The key below which it answers: `rules`. */
  readonly key: string
  /** What one entry is called in documents: 'a firing', and several: 'firings'. */
  readonly one: string
  readonly many: string
  readonly table: Table
  readonly id: Column
  /** When an entry came about: lists begin with the newest, and `after` and `before` narrow it. */
  readonly at: Column
  /** The column that holds the name of the domain, where domains share the table. */
  readonly domain?: Column
  /** What else a list can be narrowed to, by query parameter. */
  readonly filters: Readonly<Record<string, LedgerFilter>>
  /** An entry as it is shown, for documents and types. */
  readonly entry: z.ZodObject
  /** An entry as its reader may see it. */
  present(row: Row, reader: LedgerReader): Row | Promise<Row>
  /** The same in a list, where it shows less. */
  presentInList?(row: Row, reader: LedgerReader): Row | Promise<Row>
}

/** A query parameter of a list, and the column whose value it names. */
export interface LedgerFilter {
  readonly column: Column
  readonly description: string
  /** The values that it may have; any unless said. */
  readonly values?: readonly string[]
}

/** Whoever reads a ledger: what it shows of records is what this caller may read of them. */
export interface LedgerReader {
  readonly call: Call
  readonly data: Data
  /** The rights of the reader on a resource; undefined where the domain has none of this name any more. */
  access(resource: string): Access | undefined
  /** A record that was kept, without what the reader may not read of it; null where there is none. */
  record(resource: string | null, kept: Row | null): Row | null
  /** Whether the reader may be told a value that was worked out from these fields of a resource. */
  mayHear(resource: string | null, fields: readonly string[]): boolean
}

/** Values that a ledger keeps beside a record, with the fields that each was worked out from. */
export interface KeptValues {
  readonly values: Readonly<Record<string, Value>>
  /** By the name of the value; a value without an entry was worked out from nothing. */
  readonly reads: Readonly<Record<string, readonly string[]>>
}
