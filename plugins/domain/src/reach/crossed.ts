import type { Expression, Neighbour } from '@svc/expression/contract'
import type { Reader, Row } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import { crossedFor } from '../crossing/values.ts'
import { isComputed } from '../model/computed.ts'
import { overrideName } from '../model/override.ts'
import { siblingsOf } from '../model/siblings.ts'
import { crossedRecord } from '../model/crossed.ts'
import { compiledOverride } from '../present/overrides.ts'

interface Looking {
  readonly reader: Reader
  /** Of the caller, to the records whose field it is. */
  readonly access: Access
  /** Whether all is read that the formula names, whoever asks. */
  readonly isAuthor: boolean
}

/**
 * What the formula of a field finds in other records for each of these, as a caller may be told it who may not be told all that
 * the field is worked out from: what they may not read there is null.
 */
export async function readCrossed(
  records: readonly Row[],
  name: string,
  { reader, access, isAuthor }: Looking,
): Promise<(record: Row) => Neighbour | null> {
  const { resource, caller, now } = access
  const field = resource.fields.get(name)
  if (field === undefined || !isComputed(field)) return () => null
  const alike = new Map<Expression, Row[]>()
  for (const record of records) {
    const own = field.computed.overridable ? (record[overrideName(name)] ?? null) : null
    const expression = own === null ? field.computed.expression : compiledOverride(String(own), resource)
    if (expression === undefined || expression.crossings.length === 0) continue
    const group = alike.get(expression)
    if (group) group.push(record)
    else alike.set(expression, [record])
  }
  const found = new Map<Row, Neighbour>()
  for (const [expression, group] of alike) {
    const values = await crossedFor(
      expression,
      isAuthor ? group : group.map((record) => readableOf(record, access)),
      {
        reader,
        resources: siblingsOf(resource),
        now,
        tells: ({ reads }, target) => {
          const own = Access.of(target, caller, now)
          return (
            isAuthor || (own.rowsIfAny('list') !== undefined && [...reads].every((one) => own.readable(one)))
          )
        },
      },
    )
    for (const [at, record] of group.entries())
      found.set(record, { record: crossedRecord(expression, values[at]!), neighbours: {} })
  }
  return (record) => found.get(record) ?? null
}

const readableOf = (record: Row, access: Access): Row =>
  Object.fromEntries(Object.entries(record).filter(([name]) => access.readableIn(record, name)))
