import type { Relations } from '@svc/expression/contract'
import type { Column, Table } from '@svc/store/contract'
import type { Path } from '../definition/problem.ts'
import type { OPERATIONS, ResourceDefinition } from '../definition/schema/resource.ts'
import type { Text } from '../definition/schema/text.ts'
import type { Localizer } from '../speech/speech.ts'
import { someInside } from '../fields/walk.ts'
import { type ApiSurroundings, buildApi } from './api.ts'
import type { Assignments } from './assignment.ts'
import type { DerivedColumn } from './derived.ts'
import type { ResourceDraft } from './draft.ts'
import type { ComputedField, Field } from './field.ts'
import { buildScopes, type Scope } from './scope-filters.ts'
import { isDerivedColumn, kebabCase, plural } from './names.ts'
import type { Crossable } from './others.ts'
import { ownerFieldOf } from './owner.ts'
import { buildPermissions, type Permission, type Permissions } from './permission.ts'
import type { Relationship } from './relationship.ts'
import { type Functions, vocabularyOf } from './vocabulary.ts'
import { buildStateMachine, type StateMachine } from './state-machine.ts'
import { inWrittenOrder, type TableSurroundings } from './table.ts'
import { buildValidation, type ValidationRule } from './validation.ts'

export type OperationName = (typeof OPERATIONS)[number]

export interface Features {
  readonly softDelete: boolean
  readonly search: boolean
  readonly export: boolean
  readonly import: boolean
  readonly caching: boolean
  readonly cacheTtlSeconds: number
  readonly transactions: boolean
  /** `strict` refuses unknown fields of a body, `loose` drops them. */
  readonly validationMode: 'strict' | 'loose'
  /** The features that blocks own, by name: whether each is on. */
  readonly added: Readonly<Record<string, boolean>>
}

export interface CustomOperation {
  readonly name: string
  readonly label: Text | undefined
  readonly description: string | undefined
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the collection, with a leading slash. */
  readonly path: string
  readonly permission: Permission
  /** What it sets, whatever a client sends. */
  readonly fields: Assignments
  /** Its place in the definition. */
  readonly definedAt: Path
}

/** Where a resource answers. */
export interface ResourceApi {
  /** The last segment of the collection: `order-items`. */
  readonly segment: string
  /** Paths of the collection, the canonical one first: `/api/v1/shop/order-items`. */
  readonly paths: readonly string[]
  readonly disabled: ReadonlySet<OperationName>
  readonly customOperations: readonly CustomOperation[]
  /** The parent under whose path the resource answers, and the field that the path fills. */
  readonly under:
    | { readonly parent: string; readonly foreignKey: string; readonly parameter: string }
    | undefined
  /** Paths of the collection that do not name the parent; [] without `under`. */
  readonly directPaths: readonly string[]
  /** With `under`: operations that answer at a path of their own as well. */
  readonly directAccess: ReadonlySet<OperationName>
}

/** A business entity, compiled: what every request about it is answered from. */
export interface Resource {
  readonly name: string
  /** The name in action names: `order-item`. */
  readonly slug: string
  /** The plural name for people and documents. */
  readonly plural: string
  readonly label: Text | undefined
  readonly description: string | undefined
  readonly renamedFrom: string | undefined
  readonly table: Table
  readonly key: Field
  /** In the order of the definition; implied fields last. */
  readonly fields: ReadonlyMap<string, Field>
  /** What is read of a record: the columns of its fields, and its version. */
  readonly columns: readonly Column[]
  /** What is kept beside the fields in columns that nobody is shown. */
  readonly derived: readonly DerivedColumn[]
  /** The fields whose values the store is asked about. */
  readonly verified: readonly Field[]
  /** The fields whose values are stored as hashes. */
  readonly secrets: readonly Field[]
  /** The fields that the service works out, each after those that it reads. */
  readonly computed: readonly ComputedField[]
  /** The fields that hold a record's own formulas for computed fields. */
  readonly overrides: readonly Field[]
  readonly relationships: ReadonlyMap<string, Relationship>
  /** The same as ways that expressions go. */
  readonly relations: Relations
  /** The functions that plugins add to expressions; absent where none does. */
  readonly functions: Functions | undefined
  /** The resources that stored formulas may look into; undefined where they may not. */
  readonly others: Crossable | undefined
  readonly features: Features
  readonly permissions: Permissions
  readonly scopes: ReadonlyMap<string, Scope>
  readonly stateMachine: StateMachine | undefined
  readonly validation: readonly ValidationRule[]
  readonly api: ResourceApi
  /** The field that says whose a record is, where one does. */
  readonly ownerField: Field | undefined
  /** Names the resource's actions: `svc.shop.order-item.`. */
  readonly actionPrefix: string
  /** The languages of its domain. */
  readonly localizer: Localizer
  readonly definition: ResourceDefinition
}

export interface ResourceSurroundings extends ApiSurroundings, TableSurroundings {
  /** Names of the features that blocks own. */
  readonly features: readonly string[]
  readonly computed: readonly ComputedField[]
  readonly localizer: Localizer
}

const isVerified = someInside(({ verify }) => verify !== undefined)

/** Finishes a resource whose fields and relationships are known. */
export function buildResource(draft: ResourceDraft, around: ResourceSurroundings): Resource {
  const { name, path, definition } = draft
  const { report } = around
  const slug = kebabCase(name)
  const fields = inWrittenOrder(draft)
  const { stateMachine, permissions } = definition
  const judged = { name, fields, report, vocabulary: vocabularyOf(draft, 'permission') }
  const guarded = { name, fields, report, vocabulary: vocabularyOf(draft, 'guard') }
  const { table } = draft
  return Object.freeze({
    name,
    slug,
    plural: plural(name),
    label: definition.label,
    description: definition.description,
    renamedFrom: definition.renamedFrom,
    table,
    key: draft.key,
    fields,
    columns: table.columns.filter((column) => !isDerivedColumn(column)),
    derived: [...fields.values()].flatMap(({ derived }) => derived),
    verified: [...fields.values()].filter(({ compiled }) => isVerified(compiled)),
    secrets: [...fields.values()].filter(({ compiled }) => !compiled.type.readable),
    computed: around.computed,
    overrides: [...fields.values()].filter(({ overrides }) => overrides !== undefined),
    relationships: draft.relationships,
    relations: draft.relations,
    functions: draft.functions,
    others: draft.others,
    features: featuresOf(definition, around.features),
    permissions: buildPermissions(permissions, [...path, 'permissions'], judged),
    scopes: buildScopes(definition, path, judged),
    stateMachine: stateMachine && buildStateMachine(stateMachine, [...path, 'stateMachine'], guarded),
    validation: buildValidation(definition, path, vocabularyOf(draft, 'validation'), report),
    api: buildApi(draft, { ...around, ...judged }),
    ownerField: ownerFieldOf(draft),
    actionPrefix: `svc.${around.domain}.${slug}.`,
    localizer: around.localizer,
    definition,
  })
}

function featuresOf({ features = {} }: ResourceDefinition, added: readonly string[]): Features {
  const written = new Map<string, unknown>(Object.entries(features))
  return Object.freeze({
    softDelete: features.softDelete ?? false,
    search: features.search ?? false,
    export: features.export ?? false,
    import: features.import ?? false,
    caching: features.caching ?? false,
    cacheTtlSeconds: features.cacheTtlSeconds ?? 300,
    transactions: features.transactions ?? true,
    validationMode: features.validationMode ?? 'strict',
    added: Object.freeze(Object.fromEntries(added.map((name) => [name, written.get(name) === true]))),
  })
}
