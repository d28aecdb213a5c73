import type { Scalar, ScalarFunction, ScalarType } from '@svc/store/contract'
import {
  as,
  call,
  computed,
  constant,
  NULL,
  readInstant,
  type Term,
  timestamp,
  writeInstant,
} from '@svc/expression/contract'
import { heightOver } from './compare.ts'
import {
  coerce,
  kindAmong,
  type Operand,
  type OperandKind,
  refusal,
  type ScopeBinding,
  scalarOf,
  TYPES,
  valueOperand,
} from './operand.ts'

/** A function of filters, from its arguments and the place of its name. */
type ScopeFunction = (args: readonly Operand[], offset: number) => Operand

interface Result {
  readonly kind: OperandKind
  readonly whole?: boolean
}

/** A value worked out from others. */
export const computedOperand = (
  args: readonly Operand[],
  offset: number,
  { kind, whole = false }: Result,
  bind: (binding: ScopeBinding) => Term,
): Operand => ({ offset, kind, whole, height: heightOver(args), bind })

/** A call of one of the stores' functions with arguments of one kind. */
export function callOf(
  name: ScalarFunction,
  args: readonly Operand[],
  wants: 'text' | 'number',
  result: Result,
  offset: number,
): Operand {
  const coerced = args.map((arg) => coerce(arg, wants))
  return computedOperand(args, offset, result, (binding) =>
    call(name, ...coerced.map((arg) => scalarOf(arg, binding, wants))),
  )
}

const takes = (args: readonly Operand[], count: number, name: string, offset: number): void => {
  if (args.length !== count)
    throw refusal(offset, `'${name}' takes ${count} argument${count === 1 ? '' : 's'}, not ${args.length}`)
}

const ofOne =
  (name: 'lower' | 'upper' | 'length' | 'abs', wants: 'text' | 'number', gives: ScalarType): ScopeFunction =>
  (args, offset) => {
    takes(args, 1, name, offset)
    const whole = name === 'length' || args[0]?.whole === true
    return callOf(name, args, wants, { kind: gives, whole: gives === 'number' && whole }, offset)
  }

/** The time at which a filter is bound. */
export const nowOf: ScopeFunction = (args, offset) => {
  takes(args, 0, 'now', offset)
  return valueOperand('datetime', offset, ({ now: at }) => timestamp(at))
}

/** `date('now')`, or the day of a date-time. */
const date: ScopeFunction = (args, offset) => {
  takes(args, 1, 'date', offset)
  const [arg] = args
  if (typeof arg?.literal === 'string') return dayOf(arg.literal, offset)
  if (arg?.kind === 'date') return arg
  if (arg?.kind !== 'datetime') throw refusal(offset, "'date' takes a date, a date-time or 'now'")
  return computedOperand(args, offset, { kind: 'date' }, (binding) => {
    const term = arg.bind(binding)
    if (term.scalar === undefined) return constant(dayIn(term.value))
    return call('date', as(call('instant', term.scalar), 'number'))
  })
}

function dayOf(text: string, offset: number): Operand {
  if (text.toLowerCase() === 'now') return valueOperand('date', offset, ({ now: at }) => dayIn(timestamp(at)))
  const day = dayIn(text)
  if (day === null) throw refusal(offset, `'${text}' is no date`, "write it as '2026-01-31', or date('now')")
  return valueOperand('date', offset, () => day)
}

function dayIn(value: Parameters<typeof readInstant>[0]): string | null {
  const read = readInstant(value)
  return read === undefined ? null : writeInstant({ at: read.at, dateOnly: true })
}

const coalesce: ScopeFunction = (args, offset) => {
  if (args.length < 2) throw refusal(offset, "'coalesce' takes two arguments or more")
  const kind = kindAmong(args) ?? 'text'
  const coerced = args.map((arg) => coerce(arg, kind))
  const other = coerced.find((arg) => arg.kind !== undefined && arg.kind !== kind)
  if (other) throw refusal(other.offset, `this is ${other.kind}, and stands beside ${kind}`)
  const whole = kind === 'number' && args.every((arg) => arg.whole === true)
  const type = TYPES[kind]
  return computedOperand(args, offset, { kind, whole }, (binding) => {
    const of: readonly Scalar[] = coerced.flatMap((arg) => scalarOf(arg, binding, type) ?? [])
    return of.length === 0 ? NULL : computed({ op: 'coalesce', of }, type)
  })
}

/** Every function of filters, by its name in lower case. */
export const SCOPE_FUNCTIONS: ReadonlyMap<string, ScopeFunction> = new Map([
  ['lower', ofOne('lower', 'text', 'text')],
  ['upper', ofOne('upper', 'text', 'text')],
  ['length', ofOne('length', 'text', 'number')],
  ['abs', ofOne('abs', 'number', 'number')],
  ['coalesce', coalesce],
  ['date', date],
  ['now', nowOf],
  ['current_timestamp', nowOf],
])
