import type { Ignored } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import type { Access } from '../access/access.ts'

/** Reads `search=…`: records of which some text that the caller may read contains it, whatever the case. */
export function searched(search: string | undefined, access: Access, ignored: Ignored): readonly Condition[] {
  if (search === undefined || search === '') return []
  const { features } = access.resource
  if (!features.search) {
    ignored('query', 'search')
    return []
  }
  const columns = [...access.readableFields()].flatMap(({ compiled, column }) =>
    compiled.type.searchable && column ? column : [],
  )
  return [{ op: 'contains', table: access.resource.table, columns, text: search }]
}
