import type { Expression, Reach } from '@svc/expression/contract'
import type { Row } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { Judged } from '../model/judged.ts'
import { looksAcross } from '../model/override.ts'
import { endOf } from '../model/relation-end.ts'
import type { Resource } from '../model/resource.ts'
import { resourceOf } from '../model/record-shape.ts'
import { seesOrigins } from './made.ts'

/** What one reader sees of the records of a resource. */
type AccessOf = (resource: Resource) => Access

/**
 * Whether a reader sees a field: it may be asked for, is not masked, and so is all that it is worked out from. In `record`
 * that is certain; without one a field counts that its owner alone sees, since every record is asked by itself.
 */
export function seesField(
  name: string,
  access: Access,
  of: AccessOf,
  record?: Row,
  judged = new Judged<Access>(),
): boolean {
  const as = record === undefined ? name : `${name} of it`
  return judged.once(access, as, () => judgeField(name, access, of, record, judged))
}

function judgeField(
  name: string,
  access: Access,
  of: AccessOf,
  record: Row | undefined,
  judged: Judged<Access>,
): boolean {
  const field = access.selectable(name)
  if (field === undefined || !seesItself(name, access, record)) return false
  const { computed } = field
  if (computed === undefined) return true
  // What is found in other records is told as it is stored, to those who may read all of it.
  if (looksAcross(computed, access.resource) && access.readable(name) === undefined) return false
  return seesReads(computed.expression, access, of, record, judged)
}

const seesItself = (name: string, access: Access, record: Row | undefined): boolean =>
  record ? access.sight(record, name) === 'value' : access.visible(name) !== undefined

/** Whether a reader sees all that an expression reads of a record and of those that it leads to. */
export const seesReads = (
  { fields, reach }: Pick<Expression, 'fields' | 'reach'>,
  access: Access,
  of: AccessOf,
  record?: Row,
  judged = new Judged<Access>(),
): boolean =>
  [...fields].every((name) => seesField(name, access, of, record, judged)) && seesReach(reach, of, judged)

/**
 * Whether a reader sees what is read of related records. Which of these it may read, and what of other accounts than its
 * own, is asked when they are read.
 */
export function seesReach(reach: Reach, of: AccessOf, judged = new Judged<Access>()): boolean {
  for (const { relation, fields, reach: further } of reach.values()) {
    const { target, relationship } = endOf(relation)
    if (target === undefined) continue
    const access = of(target)
    const back = relationship.kind === 'hasMany' ? [relationship.foreignKey] : []
    if (![...fields, ...back].every((name) => seesField(name, access, of, undefined, judged))) return false
    if (!seesReach(further, of, judged)) return false
  }
  return true
}

/** Whether a reader sees what an expression reads of values at hand: members of records, and what others were made of. */
export function seesMembers({ members, origins }: Expression, of: AccessOf): boolean {
  if (!seesOrigins(origins, of)) return false
  for (const [source, names] of members) {
    const resource = resourceOf(source)
    if (resource && ![...names].every((name) => seesField(name, of(resource), of))) return false
  }
  return true
}
