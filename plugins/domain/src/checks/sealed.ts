import { equalityOf } from '../model/derived.ts'
import type { Field } from '../model/field.ts'
import type { Resource } from '../model/resource.ts'
import { firstSealed, sourcesOfField } from '../model/sources.ts'
import { eachResource, pathOf } from './check.ts'

/** What is kept sealed cannot be looked for or compared, and nothing is made of it that is kept in the clear. */
export const sealed = eachResource((resource, report) => {
  for (const field of resource.fields.values()) {
    const use = isSealed(field) ? useOf(field, resource) : undefined
    if (use !== undefined)
      report.problem(
        pathOf(resource, 'object', field.name),
        `'${field.name}' keeps its values sealed, and ${use}`,
        'Give it a type that keeps its values as they are',
      )
    const { name, column } = field
    const of = column && !isSealed(field) ? firstSealed(sourcesOfField(field, resource)) : undefined
    if (of !== undefined)
      report.judgement(
        pathOf(resource, resource.definition.object[name] === undefined ? 'computed' : 'object', name),
        `'${of.name}' keeps its values sealed, and '${name}' would keep what is made of them in the clear`,
        'Let it be worked out on every read, or make it of another field',
      )
  }
})

const isSealed = ({ column }: Field): boolean => column?.codec !== undefined

/** What a field is looked for or compared as. */
function useOf(field: Field, resource: Resource): string | undefined {
  const { name } = field
  if (field.primaryKey) return 'a key is looked for'
  const isFound = equalityOf(field) !== undefined
  if (field.unique && !isFound) return 'what is unique is compared'
  if (resource.ownerField === field) return 'the owner of a record is compared'
  if (resource.stateMachine?.field === name) return 'a state is compared'
  if (name === 'createdAt') return 'records are listed by it'
  if ([...resource.relationships.values()].some((one) => one.kind === 'belongsTo' && one.foreignKey === name))
    return 'what refers to a record is looked for'
  const indexed = (resource.definition.indexes ?? []).some(
    ({ fields }) => fields.includes(name) && !(isFound && fields.length === 1),
  )
  return indexed ? 'an index would find nothing by it' : undefined
}
