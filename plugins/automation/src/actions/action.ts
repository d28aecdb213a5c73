import type { Expression, Path, Resource, Site, Speech, Writes } from '@svc/domain/contract'
import type { EvaluationContext, Neighbour } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import type { Source } from '../source.ts'
import type { ActionDefinition } from './definition.ts'

/** Where an action stands, as long as it is compiled. */
export interface ActionPlace {
  readonly site: Site
  /** Where it stands below the key of the site. */
  readonly path: Path
  /** What may be done there: steps of workflows do less than schedules. */
  readonly in: 'workflow' | 'schedule'
  /** The resource whose record is at hand; undefined: none is. */
  readonly resource: Resource | undefined
  /** What its values and texts may name. */
  readonly speech: Speech
  /** By what name locale files know its texts: `['workflows', 'offer', 'remind']`. */
  readonly name: readonly string[]
  /** The zone by which a datetime becomes the date or time that a field wants; UTC unless said. */
  readonly zone?: string
}

/** An action, compiled. */
export interface CompiledAction {
  readonly kind: string
  /** The resource that it writes; undefined where it writes none. */
  readonly target: Resource | undefined
  /** What the context has to be able to evaluate, related records included. */
  readonly expressions: readonly Expression[]
  /**
   * Does it as the system, in the transaction of the caller, by whose depth its writes go. It may run again from its start, as
   * the transaction may. Throws as the write of a client would, or Failure.
   */
  perform(performing: Performing): Promise<ActionResult>
}

/** What an action is done with. */
export interface Performing {
  readonly writes: Writes
  /** The record at hand, variables and the caller, as its expressions find them. */
  readonly context: EvaluationContext
  /** The key of the record at hand; undefined where none is. */
  readonly key: Exclude<Value, null> | undefined
  readonly source: Source
  /** How deep the writes go; what starts a workflow hands it on. */
  readonly depth: number
  /** The records of a batch, where there is one, with the neighbours that recipients are found by. */
  readonly batch?: readonly Neighbour[]
}

/** What came of an action. What is absent did not come about. */
export interface ActionResult {
  /** The record as it is stored after it; undefined where it wrote none, or the record is gone. */
  readonly record?: Row | undefined
  /** The key of the record that was written. */
  readonly recordId?: Value
  readonly instanceId?: string
  readonly documentId?: string
  readonly notificationIds?: readonly string[]
  /** A file that mails of the notification carry which is raised after it, as notifications take it. */
  readonly enclosure?: { readonly kind: string; readonly id: string }
}

/**
 * What a step keeps as its result: the record after the action, of a notification the ids of its entries, of a template the
 * id of the document, of what writes nothing null.
 */
export const resultOf = ({ record, notificationIds, documentId }: ActionResult): Value => {
  if (notificationIds !== undefined) return { ids: [...notificationIds] }
  if (documentId !== undefined) return { documentId }
  return record === undefined ? null : { ...record }
}

/** How a plugin does an action of its own kind: it is compiled with the definition, and done in a transaction. */
export interface Performer {
  /** Where it may stand; everywhere unless said. */
  readonly in?: readonly ActionPlace['in'][]
  /** Compiles what is written; what is wrong is reported to `place.site`, and undefined answered. */
  compile(
    written: ActionDefinition,
    place: ActionPlace,
  ): Pick<CompiledAction, 'expressions' | 'perform'> | undefined
}
