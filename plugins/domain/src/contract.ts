import { capability } from '@svc/kernel'
import type { Block } from './blocks/block.ts'
import type { FieldType } from './fields/field-type.ts'
import type { Language } from './lifecycle/read-model.ts'
import type { Model } from './model/model.ts'
import type { Answers } from './runtime.ts'

export type { Access } from './access/access.ts'
export { judge, passes, type Verdict } from './access/verdict.ts'
export type {
  Block,
  BlockOperation,
  BlockStep,
  DomainBlock,
  Part,
  ResourceBlock,
  ResourcePart,
  ResourceSite,
  Site,
} from './blocks/block.ts'
export type { Asked, AskedRows, Asker, Data, Query, RecordPage, WriteOptions } from './blocks/data.ts'
export type { RecordWrite, Writes } from './blocks/writes.ts'
export type { Listing, Records, Subject } from './operations/blocks/records.ts'
export { languageSchema } from './definition/json-schema.ts'
export { DefinitionError, type Problem } from './definition/problem.ts'
export { variablesOf } from './definition/substitute.ts'
export type { Text } from './definition/schema/text.ts'
export type {
  CompiledType,
  Derivation,
  FieldColumns,
  FieldContext,
  FieldType,
  Filter,
  Inner,
  Inside,
  Member,
  Members,
  Operator,
  Schema,
  ValueFault,
} from './fields/field-type.ts'
export { type InnerPath, referredBy, type Referred, type Visit, walk } from './fields/walk.ts'
export { FieldTypeError } from './fields/field-type-error.ts'
export { compareWithStore, type Comparison } from './lifecycle/compare.ts'
export { createLanguage, type Language, type ReadModel, readModel } from './lifecycle/read-model.ts'
export type { Enumeration, EnumerationValue } from './model/enumeration.ts'
export type { Expression } from '@svc/expression/contract'
export type { Assigned, Assignments } from './model/assignment.ts'
export type { Computation, Field } from './model/field.ts'
export { isReservedDomain } from './definition/names.ts'
export { boundedName } from './model/names.ts'
export type { Model } from './model/model.ts'
export type { BelongsTo, BelongsToMany, HasMany, Relationship, Target } from './model/relationship.ts'
export type { CustomOperation, Features, OperationName, Resource, ResourceApi } from './model/resource.ts'
export type { Scope } from './model/scope-filters.ts'
export type { Permission, Permissions } from './model/permission.ts'
export type { State, StateMachine, Transition } from './model/state-machine.ts'
export type { ValidationRule } from './model/validation.ts'
export { isRequiredOnCreate, isSetByService, mustHold } from './model/writing.ts'
export type { Answers, KeptAnswer } from './runtime.ts'
export { workOutAll } from './present/formulas.ts'
export { localized } from './present/localized.ts'
export { presentRecord } from './present/record.ts'
export { PERMISSIONS } from './query/include.ts'
export type { RecordInput, RecordNotes } from './operations/operation.ts'
export type { Change, ChangeKind } from './write/change.ts'
export { eventOf } from './write/emit.ts'

/** The domains of this server, for other plugins. */
export interface Domains {
  /** The models in force, by name. `actions.onChange` tells when they change. */
  list(): readonly Model[]
  model(name: string): Model | undefined
  /** The same models for documents that anybody may read: what variables stand for stays as it is written. */
  described(): readonly Model[]
  /** Adds a field type to the definition language; only during set-up. */
  fieldType(type: FieldType): void
  /** Adds a key to the definition language, and what it compiles to; only during set-up. */
  block(block: Block): void
  /** Says where answers are kept for resources that want that; one place, named during set-up. */
  keep(answers: Answers): void
  /** The definition language with everything that was added to it until now. */
  language(): Language
}

export const DomainsCapability = capability<Domains>('domains')
