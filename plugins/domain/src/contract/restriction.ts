import type { AppError } from '@svc/kernel'
import type { Condition, Reader, Row, Value } from '@svc/store/contract'
import type { Guarded } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'

/**
 * What may be done with records, as far as blocks restrict it. `export` and `automate`, which is all that runs by itself, stand
 * beside `list`, the others alone. A new record is not there yet: `create` is refused by a step.
 */
export type Restricted = Exclude<Guarded, 'create'> | 'transition' | 'custom' | 'export' | 'automate'

/** The records that are left to an operation, whatever permissions say. */
export interface Restriction {
  /** Which records of the resource; asked of the store, so that it may look into tables of the block's own. */
  readonly rows: Condition
  /** What somebody hears who asks for another one by its key; NOT_FOUND unless said. */
  refuse?(): AppError
}

/** Records that all that runs by itself passes over, by their keys, each with the reason. */
export type PassedOver = ReadonlyMap<Value, AppError>

/** Finds those of some stored records of a resource, given with all their columns, that what runs by itself passes over. */
export type PassOver = (resource: Resource, records: readonly Row[], reader: Reader) => Promise<PassedOver>
