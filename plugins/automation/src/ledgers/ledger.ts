import type { RecordInput } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Column, Condition, Row, Table } from '@svc/store/contract'
import type { z } from 'zod'
import type { LedgerReader } from './reader.ts'

/** A ledger whose entries administrators look at: the log of rules, instances, firings, messages. */
export interface Ledger {
  readonly table: Table
  readonly id: Column
  /** When an entry came about: lists begin with the newest, and `after` and `before` narrow them. */
  readonly at: Column
  /** What else a list can be narrowed to, by query parameter. */
  readonly filters: Readonly<Record<string, LedgerFilter>>
  /** An entry as it is shown, with a description for each key. */
  readonly entry: z.ZodObject
  /** An entry as its reader may see it. */
  present(row: Row, reader: LedgerReader): Row | Promise<Row>
}

/** A query parameter of a list, and the column whose value it names. */
export interface LedgerFilter {
  readonly column: Column
  readonly description: string
  /** The column of `veilOf` its values: those that not everybody may be told are not found by it, so that nobody can guess them. */
  readonly veil?: Column
  /** Whether several values may be named, parted by commas, of which an entry has one. */
  readonly isAmong?: true
  /** The values that it may have; any unless said. */
  readonly values?: readonly string[]
}

/** How a ledger is called where it answers. */
export interface LedgerWindow {
  readonly ledger: Ledger
  /** The name of its entries' schema in documents: `Firing`. */
  readonly schema: string
  /** What an entry, and several, are in words: `['a firing', 'firings']`. */
  readonly words: readonly [one: string, many: string]
  /** The path of the list below the domain, and the name of its action: `{ name: 'firings', path: '/schedules/firings' }`. */
  readonly list: { readonly name: string; readonly path: `/${string}` }
  /** The name of the action that answers one entry, at the path of the list and its id; none unless said. */
  readonly get?: string
  /** Roles of those who may look, `record` where `within` lets them in; administrators unless said. */
  readonly readers?: readonly string[] | 'record'
  /** Lets a caller in, and says which entries there are at the path that was asked for; all unless said. Throws what refuses. */
  within?(input: RecordInput, call: Call): readonly Condition[]
  /** What a list shows of an entry, where that is less than the entry by itself. */
  readonly inList?: Pick<Ledger, 'entry' | 'present'>
}
