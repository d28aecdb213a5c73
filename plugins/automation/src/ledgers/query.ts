import { type JsonSchema, momentIn } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import type { Column, Condition } from '@svc/store/contract'
import type { Ledger, LedgerFilter } from './ledger.ts'

type Query = Readonly<Record<string, string>>

/** The parameters by which every ledger is narrowed to a time. */
const TIMES = { after: 'gt', before: 'lt' } as const
const TIME_NAMES = ['after', 'before'] as const

/** Names of the query parameters that narrow a ledger. */
export const parametersOf = ({ filters }: Ledger): readonly string[] => [
  ...TIME_NAMES,
  ...Object.keys(filters),
]

/** What a query narrows a ledger to. Throws INVALID_QUERY for a value that the parameter cannot have. */
export function narrowedBy(query: Query, { at, filters }: Ledger): readonly Condition[] {
  const times = TIME_NAMES.flatMap((name): readonly Condition[] => {
    const given = query[name]
    return given === undefined ? [] : [{ op: TIMES[name], column: at, value: momentIn(name, given) }]
  })
  const others = Object.entries(filters).flatMap(([name, filter]) => {
    const given = query[name]
    if (given === undefined) return []
    const told: readonly Condition[] = filter.veil ? [{ op: 'null', column: filter.veil }] : []
    return [conditionOf(name, given, filter), ...told]
  })
  return [...times, ...others]
}

/** The same parameters for documents. */
export const documentedQuery = ({ filters }: Ledger): Readonly<Record<string, JsonSchema>> => ({
  after: { type: 'string', format: 'date-time', description: 'Only what is later than this moment.' },
  before: { type: 'string', format: 'date-time', description: 'Only what is earlier than this moment.' },
  ...Object.fromEntries(
    Object.entries(filters).map(([name, { description, values }]) => [
      name,
      { type: 'string', description, ...(values && { enum: [...values] }) },
    ]),
  ),
})

function conditionOf(name: string, given: string, filter: LedgerFilter): Condition {
  const { column, values, isAmong } = filter
  if (isAmong) return { op: 'in', column, values: given.split(',') }
  if (values !== undefined && !values.includes(given))
    throw errors.INVALID_QUERY({
      message: `'${name}' must be one of ${values.join(', ')}, not '${given.slice(0, 50)}'`,
    })
  return holds(column, given)
}

/** The rows that have a value in a column, which comes as text. */
export const holds = (column: Column, given: string): Condition =>
  mayHold(column, given) ? { op: 'eq', column, value: valueOf(column, given) } : { op: 'never' }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a column may hold a value at all: a store that is asked for another one would refuse the question. */
const mayHold = ({ kind }: Column, given: string): boolean =>
  kind === 'uuid' ? UUID.test(given) : kind !== 'integer' || /^-?\d{1,15}$/.test(given)

const valueOf = ({ kind }: Column, given: string): string | number | boolean =>
  kind === 'boolean'
    ? given === 'true'
    : kind === 'integer'
      ? Number(given)
      : kind === 'uuid'
        ? given.toLowerCase()
        : given
