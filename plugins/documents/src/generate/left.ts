import { type Data, leftAmong, type Resource } from '@svc/domain/contract'
import type { Row, Value } from '@svc/store/contract'

/** What a template does with the records that it reads: a file is made of them, by itself or as if. */
export const DONE = ['export', 'automate'] as const

/** Some records, with those of what comes along with them that blocks leave to a template. */
export async function leftAlong(
  resource: Resource,
  rows: readonly Row[],
  include: readonly string[],
  data: Data,
): Promise<readonly Row[]> {
  let left = rows
  for (const name of include) {
    const target = resource.relationships.get(name)?.target
    const of = target?.kind === 'resource' ? data.model.resources.get(target.name) : undefined
    if (of === undefined) continue
    const along = rows.flatMap((row) => rowsIn(row[name]))
    const kept = new Set(await leftAmong(of, along, DONE, data.reader))
    left = left.map((row) => ({ ...row, [name]: leftIn(row[name], kept) }))
  }
  return left
}

/** Records that are included: one, several or none. */
const rowsIn = (value: Value | undefined): readonly Row[] =>
  value === undefined || value === null ? [] : ((Array.isArray(value) ? value : [value]) as readonly Row[])

function leftIn(value: Value | undefined, kept: ReadonlySet<Row>): Value {
  const left = rowsIn(value).filter((row) => kept.has(row))
  return Array.isArray(value) ? left : (left[0] ?? null)
}
