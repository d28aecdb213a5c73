import type { Reach, Relation, RowsOf } from '@svc/expression/contract'
import { SYSTEM } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { restrictionsOf } from '../access/restrictions.ts'
import type { Restricted } from '../contract/restriction.ts'
import { endOf } from '../model/relation-end.ts'
import { allOf } from '../query/live.ts'

/** What somebody reads of a record, and of those that it leads to. */
export interface Reads {
  readonly fields: ReadonlySet<string>
  readonly reach: Reach
}

export interface OpenOptions {
  /** The fields of accounts that may be read; those that everybody may know unless said. */
  readonly ofAccounts?: ReadonlySet<string>
  /** What is done with the records besides. */
  readonly also?: readonly Restricted[]
}

/**
 * Which rows each relation may lead to for the service itself, whatever permissions say: those that blocks leave to what is done
 * with them, such as `automate` for what runs by itself.
 */
export const waysLeftTo =
  (...done: readonly Restricted[]): RowsOf =>
  (relation) => {
    const { target } = endOf(relation)
    if (target === undefined) return { op: 'always' }
    return allOf(done.flatMap((one) => restrictionsOf(target, one, SYSTEM).map(({ rows }) => rows)))
  }

/**
 * Which rows each relation may lead to, for a caller who may read all of this in every record, as the store keeps it;
 * undefined for any other. What is no column counts as closed, and so do accounts but for the fields that are named.
 */
export function openWays(
  reads: readonly Reads[],
  access: Access,
  { ofAccounts = OF_ACCOUNTS, also = [] }: OpenOptions = {},
): RowsOf | undefined {
  const rows = new Map<Relation, Condition>()
  if (
    !reads.every(
      ({ fields, reach }) =>
        areStored(fields, access) && isOpenWay(reach, access, rows, { ofAccounts, also }),
    )
  )
    return undefined
  return (relation) => {
    const found = rows.get(relation)
    if (found === undefined) throw new Error(`nobody has asked which records '${relation.name}' may lead to`)
    return found
  }
}

function areStored(names: Iterable<string>, access: Access): boolean {
  for (const name of names) if (access.readable(name)?.column === undefined) return false
  return true
}

function isOpenWay(
  reach: Reach,
  { caller, now }: Access,
  rows: Map<Relation, Condition>,
  options: Required<OpenOptions>,
): boolean {
  for (const { relation, fields, reach: further } of reach.values()) {
    const { target, relationship } = endOf(relation)
    if (target === undefined) {
      if (![...fields].every((name) => options.ofAccounts.has(name)) || further.size > 0) return false
      rows.set(relation, { op: 'always' })
      continue
    }
    const access = Access.of(target, caller, now)
    const found = access.beside(relationship.kind === 'belongsTo' ? 'get' : 'list', options.also)
    const ordered = relation.join.order.map(({ column }) => column.name)
    const followed = relationship.kind === 'hasMany' ? [relationship.foreignKey] : []
    if (found === undefined || !areStored(new Set([...fields, ...ordered, ...followed]), access)) return false
    rows.set(relation, found)
    if (!isOpenWay(further, access, rows, options)) return false
  }
  return true
}

/** What everybody may know of an account. */
export const OF_ACCOUNTS: ReadonlySet<string> = new Set(['id', 'username'])
