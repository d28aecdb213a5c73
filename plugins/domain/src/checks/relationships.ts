import { withArticle } from '../definition/names.ts'
import type { RelationshipDefinition } from '../definition/schema/resource.ts'
import type { HasMany, Relationship } from '../model/relationship.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'
import { sentenceOf } from '../speech/sentence.ts'
import { eachResource, pathOf } from './check.ts'

/** Both ends of a relationship speak of the same key; each kind says what has a meaning for it. */
export const relationships = eachResource((resource, report, model) => {
  for (const relationship of resource.relationships.values()) {
    warnOfIdleKeys(resource, relationship, report)
    if (relationship.kind === 'hasMany') checkWayBack(resource, relationship, model, report)
  }
  checkSharedKeys(resource, report)
})

/** What becomes of a record whose parent goes is said once: the database has one rule for a key. */
function checkSharedKeys(resource: Resource, report: Report): void {
  const enforced = new Map<string, string>()
  for (const one of resource.relationships.values()) {
    if (one.kind !== 'belongsTo' || one.onDelete === 'none' || one.target.kind === 'users') continue
    const other = enforced.get(one.foreignKey)
    if (other === undefined) enforced.set(one.foreignKey, one.name)
    else
      report.problem(
        pathOf(resource, 'relationships', one.name, 'onDelete'),
        `'${other}' says what becomes of '${one.foreignKey}' already`,
        "Leave 'onDelete' out of one of them",
      )
  }
}

type Key = keyof RelationshipDefinition

const EVERYWHERE: readonly Key[] = ['type', 'target', 'foreignKey', 'label', 'description']
const MEANS: Readonly<Record<Relationship['kind'], readonly Key[]>> = {
  belongsTo: [...EVERYWHERE, 'onDelete', 'required'],
  hasMany: [...EVERYWHERE, 'orderBy', 'where'],
  belongsToMany: [...EVERYWHERE, 'otherKey', 'through', 'timestamps'],
}

function warnOfIdleKeys(resource: Resource, { name, kind }: Relationship, report: Report): void {
  const written = resource.definition.relationships?.[name] ?? {}
  const known: readonly string[] = MEANS[kind]
  for (const key of Object.keys(written)) {
    if (!known.includes(key))
      report.warning(
        pathOf(resource, 'relationships', name, key),
        `'${key}' means nothing for a ${kind}: it is ignored`,
      )
  }
}

function checkWayBack(resource: Resource, one: HasMany, model: Model, report: Report): void {
  const target = one.target.kind === 'resource' ? model.resources.get(one.target.name) : undefined
  const field = target?.fields.get(one.foreignKey)
  if (target === undefined || field === undefined) return
  const at = (...further: string[]) => pathOf(resource, 'relationships', one.name, ...further)
  const link = [...target.relationships.values()].find(
    (back) => back.kind === 'belongsTo' && back.foreignKey === one.foreignKey,
  )
  const leadsTo = link && (link.target.kind === 'resource' ? link.target.name : 'User')
  if (leadsTo !== undefined && leadsTo !== resource.name)
    report.problem(
      at('foreignKey'),
      `'${one.foreignKey}' of '${target.name}' leads to '${leadsTo}', not to '${resource.name}'`,
      `Name the field of '${target.name}' that holds the key of a ${resource.name}`,
    )
  else if (field.compiled.type.column !== resource.key.compiled.type.column)
    report.problem(
      at('foreignKey'),
      `'${one.foreignKey}' is ${withArticle(field.compiled.type.name)}, and the key of '${resource.name}' is ${withArticle(resource.key.compiled.type.name)}`,
      'Give both the same type',
    )
  else if (field.column === undefined) notStored(one.foreignKey, at('foreignKey'), report)
  for (const [name, value] of Object.entries(one.where)) checkValue(target, name, value, at, report)
  for (const { field: name } of one.orderBy) checkOrder(target, name, at, report)
}

type At = (...further: string[]) => readonly (string | number)[]

function checkValue(
  { fields }: Resource,
  name: string,
  value: HasMany['where'][string],
  at: At,
  report: Report,
) {
  const field = fields.get(name)
  if (field === undefined || value === null) return
  if (field.column === undefined) return notStored(name, at('where', name), report)
  if (field.column.codec)
    return report.problem(at('where', name), `'${name}' keeps its values sealed, and is compared here`)
  const checked = field.compiled.check(value)
  if ('value' in checked) return
  for (const fault of checked.faults)
    report.problem(at('where', name), `the value does not fit: ${sentenceOf(fault)}`)
}

function checkOrder({ fields }: Resource, name: string, at: At, report: Report): void {
  const field = fields.get(name)
  if (field === undefined) return
  if (field.column === undefined) notStored(name, at('orderBy', name), report)
  else if (!field.compiled.type.sortable)
    report.problem(at('orderBy', name), `${withArticle(field.compiled.type.name)} has no order`)
}

const notStored = (name: string, at: readonly (string | number)[], report: Report): void =>
  report.problem(at, `'${name}' is worked out on every read`, 'Store it: stored: true')
