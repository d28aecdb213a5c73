import type { ResourceDefinition } from '../definition/schema/resource.ts'
import type { Field } from './field.ts'
import { type BelongsTo, type Relationship, USERS } from './relationship.ts'

const CONVENTION = ['createdById', 'userId', 'authorId'] as const

/** What may say whose its records are. */
export interface Owned {
  readonly fields: ReadonlyMap<string, Field>
  readonly relationships: ReadonlyMap<string, Relationship>
  readonly definition: Pick<ResourceDefinition, 'owner'>
}

/** The field that says whose a record is: the one that the definition names, else the first candidate. */
export function ownerFieldOf(owned: Owned): Field | undefined {
  const name = owned.definition.owner ?? ownerCandidates(owned)[0]
  return name === undefined ? undefined : owned.fields.get(name)
}

/**
 * The fields that convention takes for the owner, the one that counts first: `createdById`, `userId`, `authorId`, then
 * the keys of belongsTo to a User. A key of something else than a User owns nothing, and neither does a field that
 * cannot hold the id of an account.
 */
export function ownerCandidates(owned: Owned): readonly string[] {
  const named = CONVENTION.filter((name) => {
    const field = owned.fields.get(name)
    return holdsAccount(field) && !isForeign(name, owned)
  })
  const links = linksOf(owned).filter(toUser)
  return [...new Set([...named, ...links.map(({ foreignKey }) => foreignKey)])]
}

/** Whether the field can hold the id of an account. */
export const holdsAccount = (field: Field | undefined): boolean =>
  field?.compiled.type.column === 'uuid' || field?.compiled.type.column === 'text'

/** Whether the field is the key of something else than a User. */
export const isForeign = (name: string, owned: Owned): boolean =>
  linksOf(owned).some((one) => one.foreignKey === name && !toUser(one))

const linksOf = ({ relationships }: Owned): readonly BelongsTo[] =>
  [...relationships.values()].filter((one) => one.kind === 'belongsTo')

const toUser = ({ target }: Relationship): boolean => target.kind === 'users' || target.name === USERS
