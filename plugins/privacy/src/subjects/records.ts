import type { BelongsTo, Resource } from '@svc/domain/contract'
import type { Column, Condition, Row, Value } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { type Finding, type Holding, holdingsOfRecords, PORTION, type Subject } from './find.ts'

type Key = Exclude<Value, null>

/** The records of a person, by resource and key as text, in the order of the definition. */
export type SubjectRecords = ReadonlyMap<Resource, ReadonlyMap<string, Row>>

/** A belongsTo by which a record belongs to whom another one belongs to. */
interface Edge {
  readonly from: Resource
  readonly column: Column
  /** Undefined of one that leads to accounts. */
  readonly to: Resource | undefined
}

/**
 * The records that hold an identifier of the person, and those that lead to one by belongsTo, however long the chain, but
 * those that hold another identifying value of their own. A chain costs a statement for each relationship and step.
 */
export async function recordsOf(
  subject: Subject,
  account: string | undefined,
  finding: Finding,
): Promise<SubjectRecords> {
  const { privacy } = finding
  const found = new Map<Resource, Map<string, Row>>(
    [...privacy.model.resources.values()].map((resource) => [resource, new Map()]),
  )
  let frontier = new Map<Resource, Row[]>()
  const take = (resource: Resource, rows: readonly Row[], next: Map<Resource, Row[]>) => {
    const seen = found.get(resource)!
    const fresh = next.get(resource) ?? []
    for (const row of rows) {
      const id = String(row[resource.key.name])
      if (seen.has(id)) continue
      seen.set(id, row)
      fresh.push(row)
    }
    if (fresh.length > 0) next.set(resource, fresh)
  }
  for (const resource of found.keys()) {
    const ids = rootsIn(resource, subject.roots)
    if (ids.length > 0) take(resource, await rowsBy(resource, resource.key.column!, ids, finding), frontier)
  }
  const edges = edgesOf(privacy)
  if (account !== undefined)
    for (const { from, column, to } of edges) {
      if (to !== undefined) continue
      const rows = await rowsBy(from, column, [account], finding)
      take(from, await withoutOthers(from, rows, subject, finding), frontier)
    }
  while (frontier.size > 0) {
    const next = new Map<Resource, Row[]>()
    for (const { from, column, to } of edges) {
      const reached = to && frontier.get(to)
      if (!reached) continue
      const keys = reached.flatMap((row): Key[] => {
        const id = row[to.key.name] ?? null
        return id === null ? [] : [id]
      })
      const rows = await rowsBy(from, column, keys, finding)
      const fresh = rows.filter((row) => !found.get(from)!.has(String(row[from.key.name])))
      take(from, await withoutOthers(from, fresh, subject, finding), next)
    }
    frontier = next
  }
  return new Map([...found].filter(([, rows]) => rows.size > 0))
}

function rootsIn({ name, key }: Resource, roots: readonly Holding[]): readonly Key[] {
  const ids = new Set(roots.filter(({ resource }) => resource === name).map(({ recordId }) => recordId))
  return [...ids].map((id) => (key.column?.kind === 'integer' ? Number(id) : id))
}

const edgesOf = (privacy: Privacy): readonly Edge[] =>
  [...privacy.model.resources.values()].flatMap((from) => {
    return lineageOf(privacy, from).flatMap(({ foreignKey, target }) => {
      const column = from.fields.get(foreignKey)?.column
      const to = target.kind === 'resource' ? privacy.model.resources.get(target.name) : undefined
      return column ? [{ from, column, to }] : []
    })
  })

/** The relationships by which a record belongs to whom another one belongs to. */
export const lineageOf = ({ lineage }: Privacy, resource: Resource): readonly BelongsTo[] =>
  lineage.get(resource)?.subject ?? linksOf(resource)

/** By themselves those count that lead to resources. */
const linksOf = ({ relationships }: Resource): readonly BelongsTo[] =>
  [...relationships.values()].filter(
    (one): one is BelongsTo => one.kind === 'belongsTo' && one.target.kind === 'resource',
  )

/** The records that hold one of some values in a column. */
export async function rowsBy(
  { table, columns }: Resource,
  column: Column,
  values: readonly Key[],
  { reader }: Pick<Finding, 'reader'>,
): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let at = 0; at < values.length; at += PORTION) {
    const where: Condition = { op: 'in', column, values: values.slice(at, at + PORTION) }
    found.push(...(await reader.select({ table, columns, where, order: [] })))
  }
  return found
}

/** Records that lead to the person, but for those that name somebody else. */
async function withoutOthers(
  resource: Resource,
  rows: readonly Row[],
  { own }: Subject,
  finding: Finding,
): Promise<readonly Row[]> {
  const isNaming = finding.privacy.personalOf(resource).some(({ identifies }) => identifies)
  if (!isNaming || rows.length === 0) return rows
  const ids = rows.map((row) => String(row[resource.key.name]))
  const lines = (await holdingsOfRecords(resource, ids, finding)).filter(({ isPast }) => !isPast)
  const mine = new Set(lines.filter(({ hash }) => own.has(hash)).map(({ recordId }) => recordId))
  const named = new Set(lines.map(({ recordId }) => recordId))
  return rows.filter((row) => {
    const id = String(row[resource.key.name])
    return mine.has(id) || !named.has(id)
  })
}
