import { exactSum, type Value } from '@svc/store/contract'
import type { Call } from './syntax/ast.ts'
import { errorAt, type Fault } from './fault.ts'
import { isTemporal, type Kind } from './values/kind.ts'
import { average } from './functions/lists.ts'
import { compareText } from './values/text.ts'
import { endOf, type Gathering, type GatheringName } from './route.ts'

/** A list function over related records. Like every list function it passes over nulls. */
interface GatheringFunction {
  /** What has to be said of each record. */
  readonly wants: 'number' | 'ordered' | 'condition' | 'value'
  /** Whether the records themselves are enough. */
  readonly alone: boolean
  /** The kind of the result, from that of what is said of each. */
  gives(kind: Kind): Kind
  /** Of what is said of each, without nulls. */
  evaluate(values: readonly Value[]): Value
}

const number = (): Kind => 'number'
const boolean = (): Kind => 'boolean'
const same = (kind: Kind): Kind => kind

const trues = (values: readonly Value[]): number => values.filter((value) => value === true).length

/** What each list function makes of related records. */
export const GATHERINGS: Readonly<Record<GatheringName, GatheringFunction>> = {
  count: { wants: 'condition', alone: true, gives: number, evaluate: trues },
  size: { wants: 'condition', alone: true, gives: number, evaluate: trues },
  sum: { wants: 'number', alone: false, gives: number, evaluate: numeric(exactSum) },
  avg: { wants: 'number', alone: false, gives: number, evaluate: numeric(average) },
  min: { wants: 'ordered', alone: false, gives: same, evaluate: (values) => extreme(values, -1) },
  max: { wants: 'ordered', alone: false, gives: same, evaluate: (values) => extreme(values, 1) },
  first: { wants: 'value', alone: false, gives: same, evaluate: (values) => values[0] ?? null },
  last: { wants: 'value', alone: false, gives: same, evaluate: (values) => values.at(-1) ?? null },
  any: {
    wants: 'condition',
    alone: false,
    gives: boolean,
    evaluate: conditional((values) => values.includes(true)),
  },
  all: {
    wants: 'condition',
    alone: false,
    gives: boolean,
    evaluate: conditional((values) => !values.includes(false)),
  },
}

const FITS: Readonly<Record<GatheringFunction['wants'], readonly [string, (kind: Kind) => boolean]>> = {
  number: ['a number', (kind) => kind === 'number'],
  ordered: ['a number, a text or a date', (kind) => kind === 'number' || kind === 'text' || isTemporal(kind)],
  condition: ['a condition', (kind) => kind === 'boolean'],
  value: ['a value', () => true],
}

/** What is wrong with what is said of each record, by its kind; undefined where nothing is. */
export function gatheringWants(name: GatheringName, kind: Kind): string | undefined {
  const [words, fits] = FITS[GATHERINGS[name].wants]
  if (kind === 'unknown' || kind === 'null' || fits(kind)) return undefined
  return `'${name}' wants ${words} of each record, not ${kind}`
}

/** The kind of what a function makes of related records. */
export const gatheringGives = (name: GatheringName, kind: Kind = 'unknown'): Kind =>
  GATHERINGS[name].gives(kind)

/** What is wrong with the form of a call over related records. */
export function gatheringFault(
  { args, offset }: Call,
  { name, route, each, field }: Gathering,
): Fault | undefined {
  const end = endOf(route)
  const [list, , more] = args
  const at = list?.offset ?? offset
  const early = route.steps.slice(0, -1).find(({ many }) => many)
  if (early)
    return errorAt(
      at,
      `'${early.name}' is a list of records, and '${end.name}' is asked of each`,
      `nest the functions, as in sum(${early.name}, ${name === 'count' ? 'count' : 'sum'}(${end.name}${name === 'count' ? '' : ', …'}))`,
    )
  if (!end.many)
    return errorAt(
      at,
      `'${name}' goes through a list, and '${end.name}' is one record`,
      `name its field, as in ${end.name}.${[...(end.vocabulary.fields?.keys() ?? ['id'])][0]}`,
    )
  if (more) return errorAt(more.offset, `'${name}' takes a list of records and one thing to say of each`)
  if (each === undefined && field === undefined && !GATHERINGS[name].alone)
    return errorAt(
      offset,
      `'${name}' has to be told what of each of '${end.name}'`,
      `as in ${name}(${end.name}, ${WRITTEN[GATHERINGS[name].wants]})`,
    )
  return undefined
}

const WRITTEN = {
  number: 'quantity * price',
  ordered: 'price',
  value: 'price',
  condition: 'quantity > 1',
} as const

type Numbers = (numbers: readonly number[]) => number | null

function numeric(evaluate: Numbers): GatheringFunction['evaluate'] {
  return (values) => {
    const numbers = values.filter((value) => typeof value === 'number')
    return numbers.length < values.length ? null : evaluate(numbers)
  }
}

function conditional(evaluate: (values: readonly Value[]) => boolean): GatheringFunction['evaluate'] {
  return (values) => (values.every((value) => typeof value === 'boolean') ? evaluate(values) : null)
}

/** The value that stands furthest in a direction; null of nothing, and of what has no order. */
function extreme(values: readonly Value[], direction: 1 | -1): Value {
  const [first = null, ...others] = values
  let best = first
  for (const value of others) {
    const difference = order(value, best)
    if (difference === null) return null
    if (difference * direction > 0) best = value
  }
  return typeof best === 'number' || typeof best === 'string' ? best : null
}

function order(a: Value, b: Value): number | null {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : null
}
