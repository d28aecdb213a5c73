import type { Resource } from '@svc/domain/contract'
import type { Condition, Reader, Row, Transaction } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { findByHashes, type Finding, isOfSeveral, PORTION, type Subject } from '../subjects/find.ts'
import { lineageOf, recordsOf } from '../subjects/records.ts'
import { isGone } from './gone.ts'
import { noteChange } from './state.ts'
import { KEPT_FROM, type Operation, OPERATIONS, RESTRICTED, RESTRICTION, type Tables } from '../tables.ts'

/** Under what the identifiers and the account of somebody stand among the records: no resource is called so. */
export const IDENTIFIER = '@identifier'
export const ACCOUNT = '@account'

/** A restriction in force. */
export interface Restriction {
  readonly subjectHash: string
  readonly operations: ReadonlySet<Operation>
  readonly since: string
}

/** The resources whose records may be somebody's: those that identify, or lead to one that does, or to accounts. */
export function personalResources(privacy: Privacy): ReadonlySet<Resource> {
  const { model, personal } = privacy
  const found = new Set(personal.flatMap(({ resource, identifies }) => (identifies ? [resource] : [])))
  const leads = (resource: Resource) =>
    lineageOf(privacy, resource).some(({ target }) => {
      const to = target.kind === 'resource' ? model.resources.get(target.name) : undefined
      return target.kind === 'users' || (to !== undefined && found.has(to))
    })
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const resource of model.resources.values()) if (leads(resource)) found.add(resource)
  }
  return found
}

/** The restriction of somebody, where there is one. */
export async function restrictionOf(
  hash: string,
  { restrictions }: Tables,
  reader: Reader,
): Promise<Restriction | undefined> {
  const [row] = await reader.select({
    table: restrictions,
    columns: restrictions.columns,
    where: isOf(hash),
    order: [],
    limit: 1,
  })
  return row && restrictionIn(row)
}

/** Every restriction in force, by what stands for whom it is about. */
export async function allRestrictions(
  { restrictions }: Tables,
  reader: Reader,
): Promise<readonly Restriction[]> {
  const rows = await reader.select({
    table: restrictions,
    columns: restrictions.columns,
    where: { op: 'always' },
    order: [{ column: RESTRICTION.subjectHash, descending: false }],
  })
  return rows.map(restrictionIn)
}

const restrictionIn = (row: Row): Restriction => ({
  subjectHash: String(row[RESTRICTION.subjectHash.name]),
  operations: new Set(OPERATIONS.filter((operation) => row[KEPT_FROM[operation].name] === true)),
  since: String(row[RESTRICTION.since.name]),
})

/** Puts a restriction in force, in place of an earlier one. */
export async function putRestriction(
  { subjectHash, operations, since }: Restriction,
  { restrictions }: Tables,
  writes: Transaction,
): Promise<void> {
  const kept = Object.fromEntries(
    OPERATIONS.map((operation) => [KEPT_FROM[operation].name, operations.has(operation)]),
  )
  await writes.remove({ table: restrictions, where: isOf(subjectHash) })
  await writes.insert({ table: restrictions, values: { subject_hash: subjectHash, since, ...kept } })
}

/** Lifts a restriction; answers whether there was one. */
export async function liftRestriction(
  hash: string,
  mark: string,
  tables: Tables,
  writes: Transaction,
): Promise<boolean> {
  const lifted = await writes.remove({ table: tables.restrictions, where: isOf(hash) })
  if (lifted === 0) return false
  await writes.remove({ table: tables.restricted, where: isIn(hash) })
  await noteChange(mark, tables, writes)
  return true
}

export const isOf = (hash: string): Condition => ({ op: 'eq', column: RESTRICTION.subjectHash, value: hash })
export const isIn = (hash: string): Condition => ({ op: 'eq', column: RESTRICTED.subjectHash, value: hash })

/** Writes down which records are those of somebody who is restricted; answers how many. */
export async function settleRecords(
  hash: string,
  { mark, account }: { readonly mark: string; readonly account?: string | undefined },
  finding: Finding & { readonly reader: Transaction },
): Promise<number> {
  const { tables, reader: writes } = finding
  const subject = await subjectOf(hash, finding)
  const known = account ?? (await accountOf(hash, tables, writes))
  const records = await recordsOf(subject, known, finding)
  const places = [
    ...[...new Set([hash, ...subject.own])].map((one) => [IDENTIFIER, one] as const),
    ...(known === undefined ? [] : [[ACCOUNT, known] as const]),
    ...[...records].flatMap(([{ name }, rows]) => [...rows.keys()].map((id) => [name, id] as const)),
  ]
  const gone = isGone(hash, finding.privacy.model.resources.keys())
  const there: Condition = { op: 'and', of: [isIn(hash), { op: 'not', of: gone }] }
  await writes.remove({ table: tables.restricted, where: there })
  const rows = places.map(([resource, record]) => ({ subject_hash: hash, resource, record }))
  for (let at = 0; at < rows.length; at += PORTION)
    await writes.insertRows({ table: tables.restricted, rows: rows.slice(at, at + PORTION) })
  await noteChange(mark, tables, writes)
  return [...records.values()].reduce((sum, { size }) => sum + size, 0)
}

/** Who may be known by several identifiers at once is known by this one alone, where that is one of several people. */
async function subjectOf(hash: string, finding: Finding): Promise<Subject> {
  const nobody = { hash, field: null, own: new Set([hash]), roots: [], past: [] }
  try {
    return (await findByHashes([hash], finding)) ?? nobody
  } catch (error) {
    if (isOfSeveral(error)) return nobody
    throw error
  }
}

/** The account that a restriction is about, where there was one when it was put in force. */
export async function accountOf(
  hash: string,
  { restricted }: Tables,
  reader: Reader,
): Promise<string | undefined> {
  const where: Condition = {
    op: 'and',
    of: [isIn(hash), { op: 'eq', column: RESTRICTED.resource, value: ACCOUNT }],
  }
  const columns = [RESTRICTED.recordId]
  const [row] = await reader.select({ table: restricted, columns, where, order: [], limit: 1 })
  return row && String(row[RESTRICTED.recordId.name])
}
