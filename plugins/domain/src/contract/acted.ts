import type { Column, Condition, Row, Table } from '@svc/store/contract'

/** A table whose rows say which account did what they tell. */
export interface Acted {
  readonly table: Table
  /** The columns with the account's id and its name, or one that has both as JSON: `{id, username}`. */
  readonly actor: Column | { readonly id: Column; readonly name: Column }
  /** Further columns of JSON that may name the account beside its id. */
  readonly also?: readonly Column[]
  /** Which rows of the table are the domain's, where it has others too; all unless said. */
  readonly where?: Condition
  /** What else becomes of a row whose texts were made of the name: by all of the row, as its columns are then. */
  settle?(row: Row): Row
}

/** An account that goes with the person whose it was, and what stands in place of its name. */
export interface ErasedAccount {
  readonly id: string
  readonly pseudonym: string
}
