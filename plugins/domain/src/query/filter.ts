import { errors, type Ignored, nearest } from '@svc/kernel'
import type { Condition, Value } from '@svc/store/contract'
import type { Access } from '../access/access.ts'
import { type Filter, type Operator, OPERATORS } from '../fields/field-type.ts'
import { withArticle } from '../definition/names.ts'
import { columnsOf, equalityOf } from '../model/derived.ts'
import type { Field } from '../model/field.ts'
import { type ReachedField, reachedField, someOf } from './reached.ts'

const PARAMETER = /^filter\[([^\][]*)\](?:\[([^\][]*)\])?$/

/** Whether a query parameter is a filter, well formed or not. */
export const isFilter = (parameter: string): boolean => parameter.startsWith('filter')

/** Reads every `filter[field]` and `filter[field][operator]` of a query; all of them have to hold. */
export function filters(
  query: Readonly<Record<string, string>>,
  access: Access,
  ignored: Ignored,
): Condition[] {
  const conditions: Condition[] = []
  for (const parameter in query) {
    if (!isFilter(parameter)) continue
    const condition = filter(parameter, query[parameter]!, access, ignored)
    if (condition) conditions.push(condition)
  }
  return conditions
}

function filter(parameter: string, text: string, access: Access, ignored: Ignored): Condition | undefined {
  const match = PARAMETER.exec(parameter)
  if (!match)
    throw errors.INVALID_QUERY({
      message: `'${parameter}' is no filter: write filter[field] or filter[field][operator]`,
    })
  const asked = { parameter, text, operator: match[2] ?? 'eq' }
  const field = access.readable(match[1]!)
  if (field?.column !== undefined) return ofField(field, asked)
  const reached = reachedField(match[1]!, access)
  if (reached !== undefined) return ofReached(reached, asked)
  ignored(parameter, match[1]!)
  return undefined
}

interface AskedFilter {
  readonly parameter: string
  readonly text: string
  readonly operator: string
}

function ofField(field: Field, { parameter, text, operator }: AskedFilter): Condition {
  const own = ownFilter(field, operator)
  if (own) return conditionOf(own, field, text, parameter)
  return BUILD[operatorOf(operator, field, parameter)](field, text, parameter)
}

/** In a list some record has it. Of one record that is not there the field is null, as comparisons with null have it. */
function ofReached(reached: ReachedField, asked: AskedFilter): Condition {
  const condition = ofField(reached.field, asked)
  const isOfNull = condition.op === 'ne' || condition.op === 'null'
  if (!reached.isOne || !isOfNull) return someOf(reached, condition)
  const { column } = condition
  const opposite: Condition =
    condition.op === 'ne'
      ? { op: 'eq', column, value: condition.value }
      : { op: 'not', of: { op: 'null', column } }
  return { op: 'not', of: someOf(reached, opposite) }
}

const ownFilter = ({ compiled: { filters } }: Field, name: string): Filter | undefined =>
  filters !== undefined && Object.hasOwn(filters, name) ? filters[name] : undefined

function conditionOf(own: Filter, field: Field, text: string, parameter: string): Condition {
  const made = own.condition(text, columnsOf(field))
  if (typeof made !== 'string') return made
  throw errors.INVALID_QUERY({ message: `'${parameter}' ${made}` })
}

function operatorOf(text: string, { compiled }: Field, parameter: string): Operator {
  const { type, filters = {} } = compiled
  const found = type.operators.find((operator) => operator === text)
  if (found) return found
  const known = [...type.operators, ...Object.keys(filters)]
  const isElsewhere = OPERATORS.some((operator) => operator === text)
  const meant = isElsewhere ? undefined : nearest(text, known)
  const reason = isElsewhere
    ? `${withArticle(type.name)} cannot be compared with '${text}'`
    : `there is no operator '${text}' for ${withArticle(type.name)}`
  const way = known.length === 0 ? 'it takes no filter' : `use one of ${known.join(', ')}`
  throw errors.INVALID_QUERY({
    message: `'${parameter}': ${reason}${meant ? ` (did you mean '${meant}'?)` : `; ${way}`}`,
  })
}

type Build = (field: Field, text: string, parameter: string) => Condition

const compare =
  (op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'): Build =>
  (field, text, parameter) => {
    const { column, of } = equalityOf(field)!
    return { op, column, value: of(read(field, text, parameter)) }
  }

const BUILD = {
  eq: compare('eq'),
  ne: compare('ne'),
  gt: compare('gt'),
  gte: compare('gte'),
  lt: compare('lt'),
  lte: compare('lte'),
  in: (field, text, parameter) => {
    const { column, of } = equalityOf(field)!
    return { op: 'in', column, values: text.split(',').map((part) => of(read(field, part, parameter))) }
  },
  like: ({ column }, text) => ({
    op: 'like',
    column: column!,
    pattern: /[%_]/.test(text) ? text : `%${text}%`,
  }),
  null: ({ column }, text, parameter) => {
    if (text !== 'true' && text !== 'false')
      throw errors.INVALID_QUERY({ message: `'${parameter}' takes true or false` })
    const isNull: Condition = { op: 'null', column: column! }
    return text === 'true' ? isNull : { op: 'not', of: isNull }
  },
} satisfies Record<Operator, Build>

function read({ compiled }: Field, text: string, parameter: string): Exclude<Value, null> {
  const value = compiled.parseText(text)
  if (value === undefined) {
    throw errors.INVALID_QUERY({
      message: `'${parameter}': '${text.slice(0, 100)}' cannot be read as ${compiled.type.name}`,
    })
  }
  return value
}
