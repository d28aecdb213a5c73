import type { Field } from './field.ts'
import { type Relationship, USERS } from './relationship.ts'

const CONVENTION = ['createdById', 'userId', 'authorId'] as const

/** What may say whose its records are. */
export interface Owned {
  readonly fields: ReadonlyMap<string, Field>
  readonly relationships: ReadonlyMap<string, Relationship>
}

/**
 * The field that says whose a record is: the first of `createdById`, `userId`, `authorId` that is there, else
 * the key of the first belongsTo to a User. A key of something else than a User owns nothing, and neither does
 * a field that cannot hold the id of an account.
 */
export function ownerFieldOf({ fields, relationships }: Owned): Field | undefined {
  const links = [...relationships.values()].filter((one) => one.kind === 'belongsTo')
  const foreign = new Set(links.filter((one) => !toUser(one)).map((one) => one.foreignKey))
  const byConvention = CONVENTION.find((name) => holdsAccount(fields.get(name)) && !foreign.has(name))
  const name = byConvention ?? links.find(toUser)?.foreignKey
  return name === undefined ? undefined : fields.get(name)
}

/** Whether the field can hold the id of an account. */
export const holdsAccount = (field: Field | undefined): boolean =>
  field?.compiled.type.column === 'uuid' || field?.compiled.type.column === 'text'

const toUser = ({ target }: Relationship): boolean => target.kind === 'users' || target.name === USERS
