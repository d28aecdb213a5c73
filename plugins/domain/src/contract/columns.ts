import type { Caller } from '@svc/kernel'
import type { FieldDefinition } from '../definition/schema/field.ts'
import type { FieldType } from '../fields/field-type.ts'
import type { Resource } from '../model/resource.ts'
import type { Asker } from './data.ts'

/** A field that users have added to a resource with `mode: sheet`. It stands beside the definition, and is no part of it. */
export interface SheetColumn {
  /** By which ledgers know its values, whatever it is called. */
  readonly id: string
  /** The name of the resource. */
  readonly resource: string
  readonly name: string
  readonly definition: FieldDefinition
  readonly createdAt: string
  readonly updatedAt: string
  /** Whether the definition declares a field of this name by now, which has taken the column over. */
  readonly isDeclared: boolean
}

/** Who has added a column. */
export interface ColumnAuthor {
  readonly id: string | null
  readonly username: string | null
}

/** What a change of the columns is called. */
export type ColumnChange = 'added' | 'renamed' | 'changed' | 'deleted'

/** One change of the columns of a resource, as somebody wants it. */
export type WantedChange =
  | { readonly change: 'add'; readonly name: string; readonly definition: FieldDefinition }
  | {
      readonly change: 'change'
      readonly column: SheetColumn
      readonly name: string
      readonly definition: FieldDefinition
    }
  | { readonly change: 'delete'; readonly column: SheetColumn }

/** A resource with its columns as they are in force. */
export interface Sheet {
  readonly resource: Resource
  /** In the order of their creation. */
  readonly columns: readonly SheetColumn[]
  /** Finds a field type by its name or by an alias. */
  fieldType(name: string): FieldType | undefined
}

/** The columns of a domain's resources beside its definition. */
export interface Columns {
  /** The columns of a resource, in the order of their creation. */
  of(resource: Resource): readonly SheetColumn[]
  /** Who has added those of the domain, by the columns' ids: read anew, since a name goes with its person. */
  authors(): Promise<ReadonlyMap<string, ColumnAuthor>>
  /**
   * Changes the columns of a resource: tables, model and ledgers change in one step. `decide` looks at what is in force when
   * it is its turn, may run again where another server was faster, and refuses by throwing; undefined changes nothing.
   * Answers the column as it is then, of a deletion as it was. Throws VALIDATION_ERROR and DUPLICATE for what makes no field.
   * An operation that calls it says so by `alters`.
   */
  change(
    resource: Resource,
    asker: Asker,
    decide: (sheet: Sheet) => WantedChange | undefined,
  ): Promise<SheetColumn | undefined>
}

/** A change of the columns that is done, as blocks see it. */
export interface Alteration {
  /** The id of the event that is told of it: a UUIDv7. */
  readonly eventId: string
  readonly domain: string
  /** As it is from now on. */
  readonly resource: Resource
  readonly change: ColumnChange
  /** The name of the column, of a deletion the one that it had. */
  readonly column: string
  /** What a column that was renamed was called until now. */
  readonly previousName: string | null
  readonly type: string
  readonly caller: Caller
  readonly at: string
  readonly requestId: string
  /** A new UUIDv7, larger than all before it. */
  readonly newId: () => string
  /** What is to be done once the change is committed: it neither waits nor throws. */
  readonly afterCommit: { push(work: () => void): unknown }
}
