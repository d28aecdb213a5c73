import type { Caller } from '@svc/kernel'
import type { Row, Transaction, Value } from '@svc/store/contract'
import type { Due, LeftBy } from './due.ts'
import type { Resource } from '../model/resource.ts'

/** A transaction that writes records by the one way in, and rows of a block's own by plans. */
export interface Writes extends Transaction {
  /**
   * Writes a record with all steps, rules, ledgers and cascades of its kind; answers the record as it is stored then, and
   * undefined where it is gone. The bus hears of it after the commit. Throws as the operation of this kind does.
   *
   * In a step of a block the write is one deeper than the change that brought it about: past a depth of 16 it throws
   * CONFLICT.
   */
  record(write: RecordWrite): Promise<Row | undefined>
  /** Works out what an earlier write has left for later, and writes the records that change by that as it would have, in its name. */
  follow(due: Due, by: LeftBy): Promise<void>
}

/** One write of a record. */
export type RecordWrite = RecordTarget &
  (
    | { readonly kind: 'create'; readonly values: Row; readonly key?: undefined }
    | {
        readonly kind: 'update' | 'put'
        readonly key: Value
        readonly values: Row
        /** Immutable fields are written as others are: what they hold was wrong from the beginning. For the system alone. */
        readonly corrects?: true
      }
    | { readonly kind: 'delete' | 'restore'; readonly key: Value; readonly values?: undefined }
    /** `name` is that of the transition, or of the custom operation. */
    | {
        readonly kind: 'transition' | 'custom'
        readonly key: Value
        readonly name: string
        readonly values?: Row
      }
    /**
     * Stores values as they are: past permissions, immutable fields, states, validation and the steps of blocks before
     * the write, as a law may ask. Ledgers hear of it. For the system alone.
     */
    | { readonly kind: 'overwrite'; readonly key: Value; readonly values: Row }
  )

interface RecordTarget {
  readonly resource: Resource
  /** In whose name and with whose rights: those of the transaction's caller unless said. */
  readonly as?: Caller
}
