import type { EvaluationContext, Known } from '@svc/expression/contract'
import type { Caller } from '@svc/kernel'
import type { Row } from '@svc/store/contract'
import type { Change } from '../contract/change.ts'
import type { Resource } from '../model/resource.ts'
import { opOf, writtenOf } from '../reach/context.ts'

/** What expressions speak of: a record as it is stored, or was when something happened, and what else is at hand. */
export interface Facts extends Pick<EvaluationContext, 'op' | 'names' | 'parameters' | 'variables' | 'now'> {
  /** The resource of the record; undefined where none is at hand. */
  readonly resource: Resource | undefined
  /** The record by its columns; what is worked out is worked out anew. Undefined or null: there is none. */
  readonly record?: Row | null | undefined
  readonly previous?: Row | null | undefined
  /** Who is `user`. */
  readonly user?: Caller | undefined
  /** What is known of the variables: records among them are shown by the rules of their resources. */
  readonly shapes?: ReadonlyMap<string, Known> | undefined
  /** The same of the bare names. */
  readonly nameShapes?: ReadonlyMap<string, Known> | undefined
}

/** What expressions on a write speak of: the record as the write leaves it, and as it was. */
export const factsOf = (change: Change): Facts => ({
  resource: change.resource,
  record: writtenOf(change),
  previous: change.previous,
  user: change.caller,
  op: opOf(change),
  now: change.access.now,
})
