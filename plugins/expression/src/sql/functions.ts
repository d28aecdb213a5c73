import type { Scalar } from '@svc/store/contract'
import type { DATE_FUNCTIONS } from '../functions/dates.ts'
import type { LIST_FUNCTIONS } from '../functions/lists.ts'
import type { NULL_FUNCTIONS } from '../functions/nulls.ts'
import type { NUMBER_FUNCTIONS } from '../functions/numbers.ts'
import type { PERMISSION_FUNCTIONS } from '../functions/permission.ts'
import type { TEXT_FUNCTIONS } from '../functions/texts.ts'
import { isList } from '../values/kind.ts'
import { constantly, type SqlCall, type SqlFunction, strict, unlessNull } from './call.ts'
import { choice, firstOf } from './choice.ts'
import { SQL_DATES } from './dates.ts'
import { SQL_PERMISSIONS } from './permissions.ts'
import {
  as,
  call,
  computed,
  condition,
  constant,
  isNull,
  NULL,
  type Part,
  single,
  type Term,
  type Translation,
  Untranslatable,
  valueOf,
} from './term.ts'
import { asText } from '../values/text.ts'

type FunctionName =
  | keyof typeof PERMISSION_FUNCTIONS
  | keyof typeof TEXT_FUNCTIONS
  | keyof typeof NUMBER_FUNCTIONS
  | keyof typeof LIST_FUNCTIONS
  | keyof typeof DATE_FUNCTIONS
  | keyof typeof NULL_FUNCTIONS

const LISTS = 'SQL has no lists'

const extreme =
  (name: 'min' | 'max'): SqlFunction =>
  ({ args }) => {
    const parts = args.map(single)
    return {
      type: 'number',
      bind(context) {
        const numbers = parts.map((part) => numbersOf(part.bind(context)))
        const known = numbers.flatMap((some) => some ?? [])
        if (numbers.includes(undefined) || known.length === 0) return NULL
        const [first, ...others] = known
        return others.reduce<Term>(
          (best, number) => call(name, as(best, 'number'), number),
          first === undefined ? NULL : computed(first, 'number'),
        )
      },
    }
  }

/** A number, or the numbers of a list without its nulls. */
function numbersOf(term: Term): readonly Scalar[] | undefined {
  const one = as(term, 'number')
  if (one !== undefined) return [one]
  if (term.scalar !== undefined || !isList(term.value)) return undefined
  const scalars = term.value.filter((item) => item !== null).map((item) => as(constant(item), 'number'))
  const numbers = scalars.filter((scalar) => scalar !== undefined)
  return numbers.length < scalars.length ? undefined : numbers
}

/** Numbers become text in another way on every store. */
const concat = ({ args }: SqlCall): Translation => {
  const parts = args.map(single)
  const number = parts.find(({ type }) => type === 'number')
  if (number) throw new Untranslatable(number.node, 'numbers become text in another way on every store')
  return {
    type: 'text',
    bind: (context) =>
      parts
        .map((part) => textOf(part.bind(context)))
        .reduce((joined, next) => call('concat', as(joined, 'text'), as(next, 'text'))),
  }
}

function textOf(term: Term): Term {
  if (term.scalar === undefined) return constant(asText(term.value) ?? null)
  if (term.type !== 'boolean') return term
  const test = term.scalar
  const word: Scalar = {
    op: 'if',
    test,
    consequent: valueOf('text', 'true'),
    alternate: valueOf('text', 'false'),
  }
  return unlessNull(test, word, 'text')
}

const isEmpty = ({ args }: SqlCall): Translation => {
  const [part] = args.map(single)
  return {
    type: 'boolean',
    bind(context) {
      const term = part?.bind(context) ?? NULL
      if (term.scalar === undefined) return constant(term.value === null || term.value === '')
      if (term.type !== 'text') return isNull(term)
      const empty = valueOf('text', '')
      return condition({
        op: 'compare',
        by: 'eq',
        left: { op: 'coalesce', of: [term.scalar, empty] },
        right: empty,
      })
    },
  }
}

const askNull = ({ args: [part] }: SqlCall): Translation => {
  if (part?.type === 'list') return constantly(false)
  return { type: 'boolean', bind: (context) => isNull(part?.bind(context) ?? NULL) }
}

const FAR = valueOf('number', 2 ** 30)

const substring = ({ args }: SqlCall): Translation => {
  const [text, start, count] = args.map(single)
  return {
    type: 'text',
    bind(context) {
      const length = count === undefined ? FAR : as(count.bind(context), 'number')
      return call(
        'substring',
        as(text?.bind(context) ?? NULL, 'text'),
        as(start?.bind(context) ?? NULL, 'number'),
        length,
      )
    },
  }
}

const round = ({ args }: SqlCall): Translation => {
  const [number, digits] = args.map(single)
  return {
    type: 'number',
    bind: (context) =>
      call(
        'round',
        as(number?.bind(context) ?? NULL, 'number'),
        digits === undefined ? valueOf('number', 0) : as(digits.bind(context), 'number'),
      ),
  }
}

const nothing: Part = {
  node: { kind: 'literal', value: null, offset: 0 },
  kind: 'null',
  type: undefined,
  bind: () => NULL,
}

/** How each function becomes a scalar where an argument reads the record, or why SQL cannot say it. */
export const SQL_FUNCTIONS: ReadonlyMap<string, SqlFunction> = new Map(
  Object.entries({
    ...SQL_PERMISSIONS,
    lower: strict('lower', ['text'], 'text'),
    upper: strict('upper', ['text'], 'text'),
    trim: strict('trim', ['text'], 'text'),
    length: strict('length', ['text'], 'number'),
    concat,
    substring,
    replace: strict('replace', ['text', 'text', 'text'], 'text'),
    split: LISTS,
    join: LISTS,
    format: 'numbers become text in another way on every store',
    abs: strict('abs', ['number'], 'number'),
    round,
    floor: strict('floor', ['number'], 'number'),
    ceil: strict('ceil', ['number'], 'number'),
    min: extreme('min'),
    max: extreme('max'),
    size: LISTS,
    first: LISTS,
    last: LISTS,
    sum: LISTS,
    avg: LISTS,
    any: LISTS,
    all: LISTS,
    ...SQL_DATES,
    coalesce: ({ args }) => firstOf(args),
    isNull: askNull,
    isEmpty,
    if: ({ args: [test = nothing, then = nothing, otherwise = nothing] }) => choice(test, then, otherwise),
  } satisfies Record<FunctionName, SqlFunction>),
)
