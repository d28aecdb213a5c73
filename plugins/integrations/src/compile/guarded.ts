import type { Expression, Field, Model, Resource } from '@svc/domain/contract'
import type { Reach } from '@svc/expression/contract'
import { foundBy } from '../mapping/found.ts'

/** Whether what is made of an expression stands in no log: it reads a secret of a record, or what is marked as one. */
export function readsGuarded(expression: Expression, resource: Resource | undefined, model: Model): boolean {
  const { fields, reach, previousReach } = expression
  return (
    [...fields].some((name) => isGuarded(resource?.fields.get(name))) ||
    reachesGuarded(reach, resource, model) ||
    reachesGuarded(previousReach, resource, model) ||
    [...foundBy(expression, model)].some(([of, names]) =>
      [...names].some((name) => isGuarded(of.fields.get(name))),
    )
  )
}

const reachesGuarded = (reach: Reach, resource: Resource | undefined, model: Model): boolean =>
  [...reach].some(([name, { fields, reach: further }]) => {
    const related = resource?.relationships.get(name)?.target
    const target = related?.kind === 'resource' ? model.resources.get(related.name) : undefined
    return (
      target !== undefined &&
      ([...fields].some((one) => isGuarded(target.fields.get(one))) || reachesGuarded(further, target, model))
    )
  })

const GUARDED_TYPES: ReadonlySet<string> = new Set(['password', 'token'])

function isGuarded(field: Field | undefined): boolean {
  if (field === undefined) return false
  const { type, privacy } = field.definition
  if (typeof type === 'string' && GUARDED_TYPES.has(type)) return true
  return [privacy?.sensitive, privacy?.phi, privacy?.encrypted].includes(true)
}
