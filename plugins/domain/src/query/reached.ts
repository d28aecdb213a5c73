import type { Relation } from '@svc/expression/contract'
import type { Condition, Related, Scalar } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { Field } from '../model/field.ts'
import { endOf } from '../model/relation-end.ts'
import { allOf } from './live.ts'

/** A field of related records that a query names, as far as its caller may list these and read it. */
export interface ReachedField {
  readonly field: Field
  /** The ways there, and the rows at the end of each that the caller may list. */
  readonly steps: readonly Step[]
  /** Whether one record at most is there. */
  readonly isOne: boolean
}

interface Step {
  readonly relation: Relation
  readonly rows: Condition
}

/** The most relationships in a row that a query goes. */
export const MOST_HOPS = 2

/** The field that `animal.household.name` names; undefined where the caller may not know of it, or it is not there. */
export function reachedField(path: string, access: Access): ReachedField | undefined {
  const names = path.split('.')
  const last = names.pop()
  if (last === undefined || names.length === 0 || names.length > MOST_HOPS) return undefined
  const steps: Step[] = []
  let at = access
  for (const name of names) {
    const next = follow(name, at)
    if (next === undefined) return undefined
    steps.push(next.step)
    at = next.access
  }
  const field = at.readable(last)
  if (field?.column === undefined) return undefined
  return { field, steps, isOne: steps.every(({ relation }) => !relation.many) }
}

function follow(name: string, access: Access): { readonly step: Step; readonly access: Access } | undefined {
  const relation = access.resource.relations.get(name)
  if (relation === undefined || access.readable(relation.near) === undefined) return undefined
  const { target, relationship } = endOf(relation)
  if (target === undefined) return undefined
  const next = Access.of(target, access.caller, access.now)
  if (relationship.kind === 'hasMany' && next.readable(relationship.foreignKey) === undefined)
    return undefined
  const rows = next.rowsIfAny('list')
  return rows && { step: { relation, rows }, access: next }
}

/** The records of which some related one meets a condition. */
export const someOf = ({ steps }: ReachedField, condition: Condition): Condition =>
  steps.reduceRight<Condition>((inner, step) => existsOn(step, inner), condition)

function existsOn({ relation: { join }, rows }: Step, inner: Condition): Condition {
  const { between, related } = join
  const found = exists({ ...related, where: allOf([related.where, rows, inner]) })
  return between ? exists({ ...between, where: allOf([between.where, found]) }) : found
}

const exists = ({ table, on, where }: Related): Condition => ({ op: 'exists', table, on: [on], where })

/** What the field holds in the one record that is there. */
export const valueOf = ({ steps, field }: ReachedField): Scalar =>
  steps.reduceRight<Scalar>(
    (of, { relation: { join }, rows }) => ({
      op: 'lookup',
      related: { ...join.related, where: allOf([join.related.where, rows]) },
      of,
      order: [],
    }),
    { op: 'column', column: field.column! },
  )
