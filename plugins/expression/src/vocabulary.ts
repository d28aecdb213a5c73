import type { Caller } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import type { Node } from './syntax/ast.ts'
import type { ExpressionFunction } from './functions/function.ts'
import type { Kind, Known } from './values/kind.ts'
import type { Relation } from './relation.ts'

/** What an expression may speak of in the place where it stands. What is left out is not there. */
export interface Vocabulary {
  /** The record's fields. */
  readonly fields?: ReadonlyMap<string, Kind> | undefined
  /** The texts that a field may hold, of those that hold one of a few. */
  readonly choices?: Choices | undefined
  /** The record's ways to others; a field of the same name comes first. */
  readonly relations?: Relations | undefined
  /** Whether the record is one of several that a list function goes through: bare names are its fields, `record` is not there. */
  readonly isRelated?: boolean | undefined
  /** Whether the record as it was before is there as `previous`. */
  readonly previous?: boolean | undefined
  /** Whether there is a caller: `user`, `op` and the functions that ask about the caller. */
  readonly caller?: boolean | undefined
  /** The field that holds the owner's id; without one nobody is the owner. */
  readonly ownerField?: string | undefined
  /** The state machine's field and states. */
  readonly state?: { readonly field: string; readonly names: ReadonlySet<string> } | undefined
  /** Bare names that come before the record's fields. */
  readonly names?: ReadonlyMap<string, Known> | undefined
  /** Of those of them that are members of a value the source of its shape. */
  readonly sources?: ReadonlyMap<string, object> | undefined
  /** Whether more such names may be there when it is evaluated: nobody knows of which value they are the members. */
  readonly isOpen?: boolean | undefined
  /** Further bare names; a field of the same name comes first. */
  readonly parameters?: ReadonlyMap<string, Known> | undefined
  /** Names after `$`, besides `$now`, `$record`, `$previous`, `$user` and `$op`. */
  readonly variables?: ReadonlyMap<string, Known> | undefined
  /** Functions of this place alone; the general ones come first. */
  readonly functions?: ReadonlyMap<string, ExpressionFunction> | undefined
  /** The resources that `lookup` and `aggregate` look into; without them there are no such functions. */
  readonly others?: Others | undefined
}

/** Resources by name, whose records an expression may look into. */
export interface Others {
  readonly names: Iterable<string>
  /** Undefined where there is none, or none that may be looked into. */
  of(name: string): Other | undefined
}

/** What may be said of the records of a resource that is looked into. */
export interface Other {
  /** Those that are stored. */
  readonly fields: ReadonlyMap<string, Kind>
  readonly choices?: Choices | undefined
  readonly functions: Vocabulary['functions']
}

/** The texts that fields may hold, by the fields' names. */
export type Choices = ReadonlyMap<string, ReadonlySet<string>>

/** Relations by name. */
export type Relations = ReadonlyMap<string, Relation>

/** A related record that was read before, with those that it leads to itself. */
export interface Neighbour {
  readonly record: Row
  readonly neighbours: Neighbours
}

/** What the relations of a record lead to, by their names: one record or none, or a list in the relation's order. */
export type Neighbours = Readonly<Record<string, Neighbour | readonly Neighbour[] | null>>

/**
 * What an expression is evaluated with. What is left out is null. Values of the kinds date and datetime are in
 * canonical form, as the store keeps them.
 */
export interface EvaluationContext {
  readonly record?: Row | null | undefined
  /** What the expression's `reach` asks for; what is left out is not there. */
  readonly neighbours?: Neighbours | undefined
  /** The record before the write that is going on. */
  readonly previous?: Row | null | undefined
  /** The same for its `previousReach`. */
  readonly previousNeighbours?: Neighbours | undefined
  /** On whose behalf; the anonymous caller reads as null. */
  readonly user?: Caller | undefined
  /** The operation: list, get, create, update, delete or the name of a custom one. A transition is an update. */
  readonly op?: string | undefined
  readonly names?: Readonly<Record<string, Value>> | undefined
  readonly parameters?: Readonly<Record<string, Value>> | undefined
  readonly variables?: Readonly<Record<string, Value>> | undefined
  /** What the expression's `crossings` come to, by their calls; what is left out is null. */
  readonly crossed?: ReadonlyMap<Node, Value> | undefined
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
}
