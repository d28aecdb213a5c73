import type { Expression, Known, Origin, Reach } from '@svc/expression/contract'
import type { Access } from '../access/access.ts'
import { wholeReach } from '../model/computed.ts'
import { Judged } from '../model/judged.ts'
import { recordShape, resourceOf } from '../model/record-shape.ts'
import { endOf } from '../model/relation-end.ts'
import type { Resource } from '../model/resource.ts'

/**
 * What is known of a value that expressions have come to, by the time when what they read is not at hand any more: what it
 * was made of. `resource` is that of the record which they speak of.
 */
export function madeOf(expressions: readonly Expression[], resource: Resource | undefined): Known {
  const of = expressions.flatMap((one) => [...originsOf(one, resource), ...one.origins])
  return of.length === 0 ? 'unknown' : { kind: 'unknown', of }
}

/** What is known of a value that may hold anything of records of these resources. */
export function madeOfRecords(resources: readonly Resource[]): Known {
  if (resources.length === 0) return 'unknown'
  const of = resources.map((resource) => origin(resource, recordShape(resource).members.keys()))
  return { kind: 'unknown', of }
}

function originsOf(
  { fields, members, reach, previousReach }: Expression,
  resource: Resource | undefined,
): readonly Origin[] {
  const own = resource && fields.size > 0 ? [origin(resource, fields)] : []
  const taken = [...members].map(([source, names]) => ({ source, names, isRelated: false }))
  return [...own, ...taken, ...alongReach(reach), ...alongReach(previousReach)]
}

const alongReach = (reach: Reach): readonly Origin[] =>
  [...reach.values()].flatMap(({ relation, fields, reach: further }) => {
    const { target, relationship } = endOf(relation)
    if (target === undefined) return []
    const back = relationship.kind === 'hasMany' ? [relationship.foreignKey] : []
    return [origin(target, [...fields, ...back], true), ...alongReach(further)]
  })

const origin = (resource: Resource, names: Iterable<string>, isRelated = false): Origin => ({
  source: recordShape(resource).source ?? resource,
  names: new Set(names),
  isRelated,
})

/**
 * Whether a reader sees all that a value was made of, in whichever records that was: where these are not at hand any more,
 * a field that some may read in their own records alone is seen by nobody.
 */
export const seesOrigins = (
  origins: readonly Origin[],
  of: (resource: Resource) => Access,
  judged = new Judged<Access>(),
): boolean =>
  origins.every(({ source, names, isRelated }) => {
    const resource = resourceOf(source)
    if (resource === undefined) return false
    const access = of(resource)
    if (isRelated && access.rowsIfAny('get')?.op !== 'always') return false
    return [...names].every((name) => seesForCertain(name, access, of, judged))
  })

const seesForCertain = (
  name: string,
  access: Access,
  of: (resource: Resource) => Access,
  judged: Judged<Access>,
): boolean => judged.once(access, name, () => judgeForCertain(name, access, of, judged))

function judgeForCertain(
  name: string,
  access: Access,
  of: (resource: Resource) => Access,
  judged: Judged<Access>,
): boolean {
  const field = access.readable(name)
  if (field === undefined) return false
  if (field.computed === undefined) return true
  const { expression } = field.computed
  const related = wholeReach(expression, access.resource.fields)
  return (
    [...expression.fields].every((one) => seesForCertain(one, access, of, judged)) &&
    seesOrigins(alongReach(related), of, judged)
  )
}
