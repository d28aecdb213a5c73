import type { Call } from '@svc/kernel'
import type { Table } from '@svc/store/contract'
import type { z } from 'zod'
import type { Path } from '../definition/problem.ts'
import type { Text } from '../definition/schema/text.ts'
import type { Expression } from '@svc/expression/contract'
import type { Model } from '../model/model.ts'
import type { Guarded } from '../model/permission.ts'
import type { Resource } from '../model/resource.ts'
import type { RecordInput } from '../operations/operation.ts'
import type { Change } from '../write/change.ts'
import type { Writes } from './writes.ts'
import type { Records } from '../operations/blocks/records.ts'

/**
 * A key of the definition language that a plugin owns, and what the engine does for it. `compile` is asked about
 * every domain, or every resource: `written` is undefined where the key is absent, since a feature may call for the
 * block too. It is pure: it reports what is wrong, and touches nothing.
 */
export type Block<T = unknown> = DomainBlock<T> | ResourceBlock<T>

/** A key below `domain`. */
export interface DomainBlock<T = unknown> {
  readonly on: 'domain'
  readonly key: string
  readonly schema: z.ZodType<T>
  compile(written: T | undefined, site: Site): Part | undefined
}

/** A key below every resource. */
export interface ResourceBlock<T = unknown> {
  readonly on: 'resource'
  readonly key: string
  readonly schema: z.ZodType<T>
  compile(written: T | undefined, site: ResourceSite): ResourcePart | undefined
}

/** The place where a block stands. Paths lead on from its key. */
export interface Site {
  readonly model: Model
  /** Reports a mistake, which keeps the definition from being used. */
  problem(path: Path, message: string, hint?: string): void
  /** Reports something that means nothing, or hardly what its author wanted. */
  warning(path: Path, message: string, hint?: string): void
}

/** The place of a block in a resource. */
export interface ResourceSite extends Site {
  readonly resource: Resource
  /** Compiles a condition on a write of the resource's records; undefined where it was reported as wrong. */
  condition(source: string, path: Path): Expression | undefined
}

/**
 * A step of a block in a write. It awaits nothing but `writes`, by which it may write further records and rows of its own
 * in the same transaction, and runs again with that.
 */
export type BlockStep = (change: Change, writes: Writes) => void | Promise<void>

/** What a block adds to a domain. */
export interface Part {
  /**
   * Tables of its own, by names that stay. They are there before the first request, follow the resource when it is renamed, and are
   * never dropped by a definition: what they hold outlives the switch that filled them.
   */
  readonly tables?: Readonly<Record<string, Table>>
  /** Runs inside a write's transaction, before the row is written; what it throws ends the write. */
  readonly beforeWrite?: BlockStep
  /** Runs inside a write's transaction, when the row is written. */
  readonly afterWrite?: BlockStep
  /** Its share of the schema endpoint; `localize` gives the text in the reader's language. */
  describe?(localize: (text: Text | undefined) => string | undefined): object
}

/** What a block adds to a resource. */
export interface ResourcePart extends Part {
  readonly operations?: readonly BlockOperation[]
}

/** An operation that a block adds to a resource. */
export interface BlockOperation {
  /** Its name among the resource's actions. */
  readonly name: string
  readonly summary: string
  /** Methods and paths below the collection, such as `GET /:id/audit`, with the permission that each needs. */
  readonly routes: Readonly<Record<string, Guarded>>
  handle(input: RecordInput, call: Call, records: Records): unknown
}

/** A part and where it stands. */
export interface Placed {
  readonly key: string
  /** Undefined for a part of the domain as a whole. */
  readonly resource: Resource | undefined
  readonly part: ResourcePart
}
