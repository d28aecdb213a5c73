import type { Asked } from '@svc/domain/contract'
import type { Condition } from '@svc/store/contract'
import { closed } from '../door/closed.ts'
import { type Asking, bindingFor } from '../door/readable.ts'
import type { View } from './view.ts'

/** The condition of a view's filter for a caller; undefined where the caller may not read what it asks about. */
export function viewRows({ source, filter }: View, asking: Asking): readonly Condition[] | undefined {
  if (filter === undefined) return []
  const binding = bindingFor(source, [filter], asking)
  return binding && [filter.rows(binding)]
}

/** The same as part of a question for records. Throws UNAUTHORIZED and FORBIDDEN. */
export function askedRows(view: View, asking: Asking): Pick<Asked, 'where' | 'order'> {
  const where = viewRows(view, asking)
  if (where === undefined)
    throw closed(`Some of what the view '${view.name}' asks about is not open to you`, asking.caller)
  return { where, order: view.order }
}
