import type { Ignored } from '@svc/kernel'
import type { Access } from '../access/access.ts'
import type { Column } from '@svc/store/contract'
import type { Field } from '../model/field.ts'
import type { Relationship } from '../model/relationship.ts'

/** What stands for a record's permissions in `include`, and under which they are answered. No relationship has this name. */
export const PERMISSIONS = '_permissions'

/** What a query asks to be brought along with each record. */
export interface Included {
  readonly relationships: readonly Relationship[]
  /** Whether to say what the caller may do with the record. */
  readonly permissions: boolean
  /** Names of the fields that are shown of included records, by relationship; the usual ones unless said. */
  readonly fields: ReadonlyMap<string, readonly string[]>
}

const NO_FIELDS: Included['fields'] = new Map()
const NOTHING: Included = Object.freeze({ relationships: [], permissions: false, fields: NO_FIELDS })

/** Whether records come alone. */
export const isNothing = (included: Included): boolean => included === NOTHING

/**
 * Reads `include=author,comments`: relationships of the resource, each once, with what `fields=title,author.name` shows of
 * them. An include of an include is not one.
 */
export function includes(
  include: string | undefined,
  { resource }: Access,
  ignored: Ignored,
  fields?: string,
): Included {
  if (include === undefined || include === '') return NOTHING
  const names = new Set(include.split(','))
  const permissions = names.delete(PERMISSIONS)
  const relationships = [...names].flatMap((name) => {
    const relationship = resource.relationships.get(name)
    if (relationship === undefined) ignored('include', name)
    return relationship ?? []
  })
  if (relationships.length === 0 && !permissions) return NOTHING
  return { relationships, permissions, fields: fieldsOf(fields, relationships) }
}

/** The fields that are named behind a relationship and a dot. */
function fieldsOf(fields: string | undefined, relationships: readonly Relationship[]): Included['fields'] {
  if (fields === undefined || !fields.includes('.')) return NO_FIELDS
  const asked = fields.split(',').map((name) => name.split('.'))
  return new Map(
    relationships.flatMap(({ name }) => {
      const own = asked.flatMap(([of, field, more]) =>
        of === name && field && more === undefined ? field : [],
      )
      return own.length > 0 ? [[name, own] as const] : []
    }),
  )
}

/** Whether a name of `fields` is one of an included relationship's. */
export const isIncludedField = (name: string, { fields }: Included): boolean => {
  const [of = '', field = '', more] = name.split('.')
  return more === undefined && fields.get(of)?.includes(field) === true
}

/** The columns of `fields` where records can leave as text that what they include is added to; undefined where not. */
export const textColumns = (
  fields: readonly Field[],
  { permissions }: Included,
  access: Access,
): readonly Column[] | undefined => (permissions ? undefined : access.exactColumns(fields))

/** The columns of a record that what it includes starts from; permissions may look at all of them. */
export function startsOf({ relationships, permissions }: Included, { resource }: Access): readonly Column[] {
  if (permissions) return resource.columns
  return relationships.flatMap((one) => {
    const field = one.kind === 'belongsTo' ? resource.fields.get(one.foreignKey) : resource.key
    return field?.column ?? []
  })
}
