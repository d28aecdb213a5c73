import type { Scalar, ScalarType } from '@svc/store/contract'
import type { DATE_FUNCTIONS } from '../functions/dates.ts'
import { isUnit } from '../functions/dates.ts'
import { DAY, HOUR, readInstant } from '../values/instant.ts'
import { isTemporal } from '../values/kind.ts'
import { constantly, NO_RECORD, type SqlCall, type SqlFunction } from './call.ts'
import { assertInstants } from './compare.ts'
import {
  as,
  call,
  computed,
  NULL,
  single,
  type Term,
  type Translation,
  Untranslatable,
  valueOf,
} from './term.ts'

/** An instant in milliseconds; undefined where the value is null or no date. */
function instantOf(term: Term): Scalar | undefined {
  if (term.scalar !== undefined) return as(call('instant', as(term, 'text')), 'number')
  const at = readInstant(term.value)?.at
  return at === undefined ? undefined : valueOf('number', at)
}

/** A function of instants. */
const ofInstants =
  (
    gives: ScalarType,
    form: 'date' | undefined,
    combine: (...instants: readonly (Scalar | undefined)[]) => Term,
  ) =>
  ({ args }: SqlCall): Translation => {
    const parts = args.map(single)
    assertInstants(parts)
    return {
      type: gives,
      form,
      bind: (context) => combine(...parts.map((part) => instantOf(part.bind(context)))),
    }
  }

const partOfDate = (name: 'year' | 'month' | 'day' | 'hour'): SqlFunction =>
  ofInstants('number', undefined, (at) => call(name, at))

const between = (unit: number): SqlFunction =>
  ofInstants('number', undefined, (from, to) => {
    const span = as(call('subtract', to, from), 'number')
    return call('truncate', as(call('divide', span, valueOf('number', unit)), 'number'))
  })

/** Moves a date or date-time, which keeps its form. */
const moved =
  (move: (at: Scalar | undefined, count: Scalar | undefined) => Term) =>
  ({ args, node }: SqlCall): Translation => {
    const [from, count] = args.map(single)
    if (from === undefined || count === undefined) return constantly(null)
    assertInstants([from])
    if (from.form === 'either')
      throw new Untranslatable(node, 'this may be a date or a date-time, and SQL has to know')
    const form = from.form ?? (isTemporal(from.kind) ? from.kind : 'either')
    return {
      type: 'text',
      form,
      bind(context) {
        const start = from.bind(context)
        const dateOnly = start.scalar === undefined ? readInstant(start.value)?.dateOnly : form === 'date'
        const at = as(move(instantOf(start), as(count.bind(context), 'number')), 'number')
        return call(dateOnly === true ? 'date' : 'datetime', at)
      },
    }
  }

/** The unit is known before the query; what is a date stays one. */
function beginning({ node, args }: SqlCall): Translation {
  const [from, unit] = args.map(single)
  if (from === undefined || unit === undefined) return constantly(null)
  assertInstants([from])
  if (unit.type !== undefined)
    throw new Untranslatable(node, 'which unit is meant depends on the record, which SQL cannot look up')
  if (from.form === 'either')
    throw new Untranslatable(node, 'this may be a date or a date-time, and SQL has to know')
  const form = from.form ?? (isTemporal(from.kind) ? from.kind : 'either')
  return {
    type: 'text',
    form,
    bind(context) {
      const named = unit.bind(context)
      const at = instantOf(from.bind(context))
      if (named.scalar !== undefined || !isUnit(named.value) || at === undefined) return NULL
      if (form === 'date' && named.value === 'hour') return call('date', at)
      const start: Scalar = { op: 'truncate', unit: named.value, of: at }
      if (form === 'date') return computed(start, 'text')
      return call('datetime', as(call('instant', start), 'number'))
    },
  }
}

/** How the functions of dates become scalars. */
export const SQL_DATES = {
  now: NO_RECORD,
  today: NO_RECORD,
  date: ofInstants('text', 'date', (at) => call('date', at)),
  year: partOfDate('year'),
  month: partOfDate('month'),
  day: partOfDate('day'),
  hour: partOfDate('hour'),
  addDays: moved((at, days) => {
    const span = call('multiply', as(call('whole', days), 'number'), valueOf('number', DAY))
    return call('add', at, as(span, 'number'))
  }),
  addMonths: moved((at, months) => call('addMonths', at, months)),
  startOf: beginning,
  daysBetween: between(DAY),
  hoursBetween: between(HOUR),
  formatDate: 'formats of dates differ from store to store',
} satisfies Record<keyof typeof DATE_FUNCTIONS, SqlFunction>
