import type { SheetColumn } from '../contract/columns.ts'
import type { Problem } from '../definition/problem.ts'
import type { Definition } from '../definition/schema/definition.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'

/** What becomes of columns under a definition. */
export interface Settled {
  readonly columns: readonly SheetColumn[]
  /** Names of the definition that columns are in the way of. */
  readonly problems: readonly Problem[]
}

/**
 * Finds what becomes of the columns that there are under another definition, whose model without them is `model`. A
 * resource that is gone, or no sheet any more, drops its own; one that is renamed takes them along; a declared field takes
 * one over. `later`, the definition that is gone back from, gives back what its fields had taken over.
 */
export function settleColumns(columns: readonly SheetColumn[], model: Model, later?: Definition): Settled {
  const problems: Problem[] = []
  const kept = columns.flatMap((column): readonly SheetColumn[] => {
    const resource = resourceOf(column, model, later)
    if (resource?.definition.mode !== 'sheet') return []
    const moved = resource.name === column.resource ? column : { ...column, resource: resource.name }
    const isDeclared = declares(resource, column.name)
    if (column.isDeclared) return isDeclared ? [moved] : later ? [{ ...moved, isDeclared: false }] : []
    if (isDeclared) return [{ ...moved, isDeclared: true }]
    const fault = inTheWay(column, resource)
    if (fault) problems.push(fault)
    return [moved]
  })
  return { columns: kept, problems }
}

function resourceOf(column: SheetColumn, { resources }: Model, later?: Definition): Resource | undefined {
  const { resource: name } = column
  const known = resources.get(name)
  if (known !== undefined) return known
  const former = later?.resources[name]?.renamedFrom
  if (former !== undefined) return resources.get(former)
  return [...resources.values()].find(({ renamedFrom }) => renamedFrom === name)
}

/** Whether the definition has a field of the name that holds what clients write. */
const declares = ({ definition, fields }: Resource, name: string): boolean =>
  Object.hasOwn(definition.object, name) && fields.get(name)?.computed === undefined

function inTheWay({ name }: SheetColumn, resource: Resource): Problem | undefined {
  const found = takenName(name, resource)
  if (found === undefined) return undefined
  return {
    path: ['domain', 'resources', resource.name, ...found.place],
    message: `'${found.name}' is ${found.what}, and users have added a column '${name}'`,
    hint: 'Give it another name, or delete the column first',
  }
}

/** What of a resource has a name, however it is written; undefined where nothing has. */
export function takenName(
  name: string,
  { fields, relationships, definition }: Resource,
): { readonly name: string; readonly what: string; readonly place: readonly string[] } | undefined {
  const lower = name.toLowerCase()
  const isTaken = (one: string) => one.toLowerCase() === lower
  const relationship = [...relationships.keys()].find(isTaken)
  if (relationship !== undefined)
    return { name: relationship, what: 'a relationship', place: ['relationships', relationship] }
  const field = [...fields.values()].find((one) => isTaken(one.name))
  if (field === undefined) return undefined
  const what = field.dynamic ? 'a column' : field.computed ? 'a computed field' : 'a field'
  const among = field.computed && Object.hasOwn(definition.computed ?? {}, field.name) ? 'computed' : 'object'
  return { name: field.name, what, place: [among, field.name] }
}
