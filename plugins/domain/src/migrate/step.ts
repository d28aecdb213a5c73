import type { Column, Condition, SchemaStep, Table } from '@svc/store/contract'
import type { Move } from '../contract/part.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { Concern } from './concern.ts'
import type { Convert, Present } from './convert.ts'
import type { Pair } from './pairs.ts'

/** Gives every row without a value one. */
export interface Fill {
  readonly kind: 'fill'
  readonly table: Table
  readonly column: Column
  readonly value: Present
}

/** Writes what `convert` makes of the values of one column to another, or to the same. */
export interface Rewrite {
  readonly kind: 'rewrite'
  readonly table: Table
  readonly from: Column
  readonly to: Column
  readonly convert: Convert
  /** Takes the rewriting back, as far as the values allow; absent where nothing is to be done for that. */
  readonly back?: Convert
  /** No row may be left without a value. */
  readonly mustHold?: true
}

/** Lets a field that the service numbers go on counting under its new name. */
export interface MoveCounter {
  readonly kind: 'moveCounter'
  readonly from: string
  readonly to: string
}

/** Lets a field that the service numbers again go on past what was written meanwhile. */
export interface RaiseCounter {
  readonly kind: 'raiseCounter'
  /** The column, where the service numbers it from now on. */
  readonly to: Numbered | undefined
  /** The same where the step is taken back. */
  readonly from: Numbered | undefined
}

export interface Numbered {
  readonly table: Table
  readonly column: Column
}

/** Lets the rows of tables that name a resource go on being about it under its new name. */
export interface FollowName {
  readonly kind: 'followName'
  readonly from: string
  readonly to: string
  readonly tables: readonly {
    readonly table: Table
    /** That of the name. */
    readonly column: Column
    /** Which rows are the domain's. */
    readonly where: Condition
  }[]
}

/** Works stored formulas out for the rows that are there. */
export interface Recompute {
  readonly kind: 'recompute'
  readonly table: Table
  readonly resource: Resource
  readonly fields: readonly string[]
  /** The resource as it was, whose formulas taking the step back works out. */
  readonly back: Resource
  /** All formulas of the model that look into other records are worked out, each after those that it reads there. */
  readonly isWhole?: true
}

/** Works out what is derived from a field for the rows that are there. */
export interface Derive {
  readonly kind: 'derive'
  readonly resource: Resource
  readonly field: string
  /** The resource and the field as they were, whose derivations taking the step back works out; undefined: none. */
  readonly back: { readonly resource: Resource; readonly field: string | undefined }
}

/** Lets blocks renew what they keep of values beside the records. */
export interface Retrace {
  readonly kind: 'retrace'
  readonly moves: readonly Move[]
  /** The models that the moves lead from and to, whose blocks are asked. */
  readonly models: Pair<Model>
}

/** A resource, and what ledgers call its fields afterwards that they called otherwise. */
export interface RenamedPair extends Pair<Resource> {
  readonly names: ReadonlyMap<string, string>
}

/** Lets blocks keep what they keep of values beside the records as the records now are: sealed or not, and by their names. */
export interface Reseal {
  readonly kind: 'reseal'
  readonly resources: readonly RenamedPair[]
  readonly models: Pair<Model>
  /** Whether values that stand in the clear in the one model are sealed in the other, and the other way round. */
  readonly isSealing: Pair<boolean>
}

/** A change of values. */
export type DataStep =
  | Fill
  | Rewrite
  | MoveCounter
  | RaiseCounter
  | FollowName
  | Recompute
  | Derive
  | Retrace
  | Reseal

/** One thing that the database does for a step: a change of the schema, or of the values in it. */
export type Work = SchemaStep | DataStep

/** A step as its author would put it. */
export type StepKind =
  | Exclude<SchemaStep['kind'], 'setForeignKeys'>
  | 'changeColumn'
  | 'fillColumn'
  | 'followName'
  | 'numberColumn'
  | 'recompute'
  | 'deriveColumn'
  | 'retrace'
  | 'reseal'
  | 'encryptColumn'
  | 'decryptColumn'
  | 'checkColumn'
  | 'changeForeignKeys'

/** One change from a model to the next, with the work that it takes, in order. */
export interface MigrationStep {
  readonly kind: StepKind
  readonly table: string
  readonly column?: string
  /** What happens, for people. */
  readonly message: string
  /** What is lost for good; undefined where nothing is. */
  readonly loss?: string
  /** The rows that the loss is about. */
  readonly concern?: Concern
  /** The step is called for, and its loss real, only where this would change a stored value. */
  readonly doubt?: Rewrite
  readonly work: readonly Work[]
}

const DATA: ReadonlySet<string> = new Set<DataStep['kind']>([
  'fill',
  'rewrite',
  'moveCounter',
  'raiseCounter',
  'followName',
  'recompute',
  'derive',
  'retrace',
  'reseal',
])

export const isDataStep = (work: Work): work is DataStep => DATA.has(work.kind)
