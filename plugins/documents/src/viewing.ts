import type { Data } from '@svc/domain/contract'
import type { Caller } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import { leaveOf } from './permission.ts'
import { DOCUMENT } from './table.ts'
import { isAdmin, type Templates } from './view.ts'

/** Which documents a caller may list, as far as the database knows. */
export interface Viewing {
  /** These for certain. */
  readonly certain: Condition
  /** Of these each record has to be asked. */
  readonly doubtful: Condition
}

/** What of the documents of a domain a caller may list, by the templates and by the rights on whole resources. */
export function viewingOf(caller: Caller, templates: Templates, { model, access }: Data): Viewing {
  const resources = [...model.resources.values()]
  const closed = resources.filter((one) => access(one, caller).rowsIfAny('list')?.op !== 'always')
  // A document about no record, or about one of a resource that is gone or open to the caller, is judged by its template alone.
  const isOpen = not(
    isIn(
      DOCUMENT.resource,
      closed.map(({ name }) => name),
    ),
  )
  const by = (leave: 'yes' | 'perhaps') =>
    [...templates.values()].filter(({ view }) => leaveOf(view, caller) === leave)
  const [yes, perhaps] = [by('yes'), by('perhaps')]
  const ofTemplates = (some: readonly { readonly name: string }[]) =>
    isIn(
      DOCUMENT.template,
      some.map(({ name }) => name),
    )
  const isKnown = isIn(DOCUMENT.template, [...templates.keys()])
  const free = isAdmin(caller) ? or(ofTemplates(yes), not(isKnown)) : ofTemplates(yes)
  const owned = perhaps.filter(({ view }) => view.roles?.includes('owner') === true)
  const own: Condition =
    caller.id === null
      ? NONE
      : and(
          ofTemplates(owned),
          { op: 'null', column: DOCUMENT.resource },
          { op: 'eq', column: DOCUMENT.generatedBy, value: caller.id },
        )
  const asked = perhaps.filter((one) => !owned.includes(one))
  return {
    certain: or(and(free, isOpen), own),
    doubtful: or(
      and(free, not(isOpen)),
      ofTemplates(asked),
      and(ofTemplates(owned), not({ op: 'null', column: DOCUMENT.resource })),
    ),
  }
}

const NONE: Condition = { op: 'never' }
const and = (...of: readonly Condition[]): Condition =>
  of.some(({ op }) => op === 'never') ? NONE : { op: 'and', of }
const or = (...of: readonly Condition[]): Condition => {
  const some = of.filter(({ op }) => op !== 'never')
  return some.length === 0 ? NONE : { op: 'or', of: some }
}
const not = (of: Condition): Condition =>
  of.op === 'never' ? { op: 'always' } : of.op === 'always' ? NONE : { op: 'not', of }
const isIn = (column: (typeof DOCUMENT)['template'], values: readonly string[]): Condition =>
  values.length === 0 ? NONE : { op: 'in', column, values }
