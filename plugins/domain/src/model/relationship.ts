import type { Table, Value } from '@svc/store/contract'
import { didYouMean, FIELD_NAME, nameFault, withArticle } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import type { RelationshipDefinition } from '../definition/schema/resource.ts'
import type { Text } from '../definition/schema/text.ts'
import type { ResourceDraft } from './draft.ts'
import type { Field } from './field.ts'
import { junctionName } from './names.ts'
import type { Report } from './report.ts'
import { junctionTable } from './table.ts'

/** What a relationship points at: a resource of the domain, or the accounts of the service. */
export type Target = { readonly kind: 'resource'; readonly name: string } | { readonly kind: 'users' }

interface Common {
  readonly name: string
  readonly label: Text | undefined
  readonly target: Target
}

/** The key stands in this resource's own table. */
export interface BelongsTo extends Common {
  readonly kind: 'belongsTo'
  /** The field of this resource that holds the key. */
  readonly foreignKey: string
  readonly onDelete: 'cascade' | 'restrict' | 'nullify' | 'none'
  readonly required: boolean
}

/** The key stands in the target's table. */
export interface HasMany extends Common {
  readonly kind: 'hasMany'
  /** The field of the target that holds this resource's key. */
  readonly foreignKey: string
  readonly orderBy: readonly { readonly field: string; readonly descending: boolean }[]
  readonly where: Readonly<Record<string, Value>>
}

/** Both keys stand in a table between the two. */
export interface BelongsToMany extends Common {
  readonly kind: 'belongsToMany'
  readonly junction: Table
  /** The junction's column with this resource's key. */
  readonly foreignKey: string
  /** The junction's column with the target's key. */
  readonly otherKey: string
  readonly timestamps: boolean
}

export type Relationship = BelongsTo | HasMany | BelongsToMany

/** The name that stands for the accounts of the service where the domain has no resource of that name. */
export const USERS = 'User'

export interface RelationshipSurroundings {
  readonly domain: string
  readonly drafts: ReadonlyMap<string, ResourceDraft>
  readonly report: Report
  /** Compiles the key field that a relationship implies: like the target's key, or a uuid for accounts. */
  impliedField(name: string, like: Field | undefined): Field
}

/** Compiles one relationship and adds the fields that it implies; undefined where it was reported as wrong. */
export function buildRelationship(
  draft: ResourceDraft,
  name: string,
  definition: RelationshipDefinition,
  around: RelationshipSurroundings,
): Relationship | undefined {
  const path = [...draft.path, 'relationships', name]
  const target = targetOf(definition.target, around)
  if (target === undefined) {
    const hint = didYouMean(definition.target, around.drafts.keys())
    around.report.problem([...path, 'target'], `there is no resource '${definition.target}'`, hint)
    return undefined
  }
  const builders = { belongsTo, hasMany, belongsToMany }
  return builders[definition.type]({ draft, name, definition, target, path, around })
}

interface Part {
  readonly draft: ResourceDraft
  readonly name: string
  readonly definition: RelationshipDefinition
  readonly target: Target
  readonly path: Path
  readonly around: RelationshipSurroundings
}

function targetOf(name: string, { drafts }: RelationshipSurroundings): Target | undefined {
  if (drafts.has(name)) return { kind: 'resource', name }
  return name === USERS ? { kind: 'users' } : undefined
}

const keyOf = (target: Target, { drafts }: RelationshipSurroundings): Field | undefined =>
  target.kind === 'resource' ? drafts.get(target.name)?.key : undefined

function belongsTo({ draft, name, definition, target, path, around }: Part): BelongsTo {
  const foreignKey = definition.foreignKey ?? `${name}Id`
  const targetKey = keyOf(target, around)
  const declared = draft.fields.get(foreignKey)
  refuseOddKey('foreignKey', definition, path, around.report)
  if (declared === undefined) draft.fields.set(foreignKey, around.impliedField(foreignKey, targetKey))
  else if (declared.compiled.type.column !== (targetKey?.compiled.type.column ?? 'uuid')) {
    around.report.problem(
      [...path, 'foreignKey'],
      `'${foreignKey}' is ${withArticle(declared.compiled.type.name)}, and the key of '${definition.target}' is ${withArticle(targetKey?.compiled.type.name ?? 'uuid')}`,
      'Give both the same type',
    )
  }
  return Object.freeze({
    kind: 'belongsTo',
    name,
    label: definition.label,
    target,
    foreignKey,
    onDelete: definition.onDelete ?? 'none',
    required: definition.required ?? false,
  })
}

function hasMany({ draft, name, definition, target, path, around }: Part): HasMany | undefined {
  const { report, drafts } = around
  if (target.kind === 'users') {
    report.problem(
      [...path, 'target'],
      'accounts of the service have no key of this resource',
      'Use belongsTo',
    )
    return undefined
  }
  if (definition.foreignKey === undefined) {
    report.problem(
      path,
      "a hasMany needs 'foreignKey': the field of the target that holds this resource's key",
      keyHint(draft.name, drafts.get(target.name)!),
    )
    return undefined
  }
  const { fields, formulas } = drafts.get(target.name)!
  const known = (field: string, ...at: string[]) => {
    const isKnown = fields.has(field) || formulas.has(field)
    if (!isKnown) {
      report.problem(
        [...path, ...at],
        `'${target.name}' has no field '${field}'`,
        didYouMean(field, [...fields.keys(), ...formulas.keys()]),
      )
    }
    return isKnown
  }
  known(definition.foreignKey, 'foreignKey')
  const orderBy = Object.entries(definition.orderBy ?? {})
    .filter(([field]) => known(field, 'orderBy', field))
    .map(([field, direction]) => ({ field, descending: direction === 'desc' }))
  const where = Object.entries(definition.where ?? {}).filter(([field]) => known(field, 'where', field))
  return Object.freeze({
    kind: 'hasMany',
    name,
    label: definition.label,
    target,
    foreignKey: definition.foreignKey,
    orderBy,
    where: Object.fromEntries(where),
  })
}

/** How the records of `from` are asked for by the key that they hold of `of`. */
function keyHint(of: string, from: ResourceDraft): string {
  const keys = Object.entries(from.definition.relationships ?? {})
    .filter(([, { type, target }]) => type === 'belongsTo' && target === of)
    .map(([name, { foreignKey = `${name}Id` }]) => `'foreignKey: ${foreignKey}'`)
  return keys.length > 0 ? `Write ${keys.join(' or ')}` : `Give '${from.name}' a belongsTo '${of}' first`
}

function belongsToMany({ draft, name, definition, target, path, around }: Part): BelongsToMany | undefined {
  if (target.kind === 'users') {
    around.report.problem(
      [...path, 'target'],
      'accounts cannot be linked through a junction',
      'Make a resource of it',
    )
    return undefined
  }
  const foreignKey = definition.foreignKey ?? lowerFirst(`${draft.name}Id`)
  const otherKey = definition.otherKey ?? lowerFirst(`${target.name}Id`)
  if (foreignKey.toLowerCase() === otherKey.toLowerCase()) {
    around.report.problem(
      path,
      `both keys of the junction are called '${foreignKey}'`,
      "Name one of them with 'otherKey'",
    )
    return undefined
  }
  refuseOddKey('foreignKey', definition, path, around.report)
  refuseOddKey('otherKey', definition, path, around.report)
  const timestamps = definition.timestamps ?? false
  for (const key of timestamps ? (['foreignKey', 'otherKey'] as const) : [])
    if (definition[key]?.toLowerCase() === 'createdat')
      around.report.problem(
        [...path, key],
        `'${definition[key]}' is where the junction keeps its time`,
        'Call the key otherwise',
      )
  const junction = junctionTable({
    name: junctionName(around.domain, definition.through ?? [draft.name, target.name].sort().join('')),
    sides: [
      { column: foreignKey, key: draft.key },
      { column: otherKey, key: keyOf(target, around)! },
    ],
    timestamps,
  })
  return Object.freeze({
    kind: 'belongsToMany',
    name,
    label: definition.label,
    target,
    junction,
    foreignKey,
    otherKey,
    timestamps,
  })
}

/** A key that a relationship names becomes a field, or a column of a junction, as if it had been declared. */
function refuseOddKey(
  which: 'foreignKey' | 'otherKey',
  { [which]: name }: RelationshipDefinition,
  path: Path,
  report: Report,
): void {
  const fault = name === undefined ? undefined : nameFault(name, 'a field', FIELD_NAME)
  if (fault) report.problem([...path, which], fault.message, fault.hint)
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
