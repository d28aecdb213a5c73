import {
  type Expression,
  type Field,
  type Model,
  type Resource,
  sourcesOf,
  sourcesOfField,
} from '@svc/domain/contract'
import { foundBy } from '../mapping/found.ts'

/** Whether what is made of an expression stands in no log: it reads a secret of a record, or what is marked as one, at any depth. */
export function readsGuarded(expression: Expression, resource: Resource | undefined, model: Model): boolean {
  return (
    sourcesOf(expression, resource).some(({ field }) => isGuarded(field)) ||
    [...foundBy(expression, model)].some(([of, names]) =>
      [...names].some((name) => tellsOfGuarded(of.fields.get(name), of)),
    )
  )
}

const tellsOfGuarded = (field: Field | undefined, resource: Resource): boolean =>
  field !== undefined &&
  (isGuarded(field) || sourcesOfField(field, resource).some((one) => isGuarded(one.field)))

const GUARDED_TYPES: ReadonlySet<string> = new Set(['password', 'token'])

function isGuarded({ definition: { type, privacy } }: Field): boolean {
  if (typeof type === 'string' && GUARDED_TYPES.has(type)) return true
  return [privacy?.sensitive, privacy?.phi, privacy?.encrypted].includes(true)
}
