import type { Relations } from '@svc/expression/contract'
import type { Table } from '@svc/store/contract'
import type { Path } from '../definition/problem.ts'
import type { ResourceDefinition } from '../definition/schema/resource.ts'
import type { Formula } from './computed.ts'
import type { Field } from './field.ts'
import type { Crossable } from './others.ts'
import type { Relationship } from './relationship.ts'
import type { Functions } from './vocabulary.ts'

/** A resource while the model is built: relationships between resources add to each other's fields. */
export interface ResourceDraft {
  readonly name: string
  readonly path: Path
  readonly definition: ResourceDefinition
  readonly fields: Map<string, Field>
  /** Computed fields, which come to `fields` when all others are known. */
  readonly formulas: ReadonlyMap<string, Formula>
  readonly key: Field
  readonly relationships: Map<string, Relationship>
  /** The ways that expressions go; asked when all relationships are known. */
  readonly relations: Relations
  /** The functions that plugins add to expressions. */
  readonly functions: Functions | undefined
  /** The resources that stored formulas may look into; undefined where they may not. */
  readonly others: Crossable | undefined
  /** Names of fields by which formulas of other records find its own, or are found by what they read. */
  readonly foundBy: ReadonlySet<string>
  /** The table, asked when all fields are known. */
  readonly table: Table
}
