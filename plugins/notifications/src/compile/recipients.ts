import type { Expression, Path, Site, Speech } from '@svc/domain/contract'
import type { NotificationDefinition } from '../definition.ts'

/** Whom a notification reaches. */
export interface CompiledRecipients {
  readonly roles: readonly string[]
  /** Each gives an address, the id of a user, or a list of them. */
  readonly fields: readonly Expression[]
}

/** A field, a field of a record that the record belongs to, or a variable with a path into it. */
const PLACE = /^(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?|\$[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)$/

/** Compiles the key `recipients`; what is wrong is reported. */
export function compileRecipients(
  { roles = [], field = [] }: NonNullable<NotificationDefinition['recipients']>,
  { site, path, speech }: { readonly site: Site; readonly path: Path; readonly speech: Speech },
): CompiledRecipients {
  const fields = (typeof field === 'string' ? [field] : field).flatMap((source, at) => {
    const place = typeof field === 'string' ? [...path, 'field'] : [...path, 'field', at]
    if (!PLACE.test(source)) {
      site.problem(
        place,
        `'${source.slice(0, 60)}' is no place where recipients could stand`,
        'Write a field, <belongsTo>.<field>, or a $ variable',
      )
      return []
    }
    return site.expression(source, place, speech) ?? []
  })
  return { roles: [...new Set(roles)], fields }
}
