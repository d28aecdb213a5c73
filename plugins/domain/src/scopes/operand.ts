import type { Caller } from '@svc/kernel'
import type { Column, ScalarType } from '@svc/store/contract'
import {
  as,
  columnOf,
  computed,
  constant,
  type Choice,
  choiceFault,
  errorAt,
  ExpressionError,
  type Fault,
  kindOfColumn,
  readInstant,
  type Term,
  writeInstant,
} from '@svc/expression/contract'

/** For whom and when a filter is bound. */
export interface ScopeBinding {
  readonly caller: Caller
  /** Milliseconds since 1970. */
  readonly now: number
}

export type OperandKind = 'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'json'

/** A part of a filter whose kind is known before it is bound. */
export interface Operand {
  readonly offset: number
  /** Undefined for a placeholder, which is what it stands beside, or null. */
  readonly kind: OperandKind | undefined
  /** A number that has no fraction. */
  readonly whole?: boolean
  /** What is written out: beside a date a text is a date, beside a boolean 0 and 1 are false and true. */
  readonly literal?: string | number
  /** The field that it is, where that holds one of a few texts. */
  readonly choice?: Choice | undefined
  /** How many parts stand inside one another. */
  readonly height: number
  bind(binding: ScopeBinding): Term
}

/** What values of each kind are as scalars. */
export const TYPES = {
  text: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'text',
  datetime: 'text',
  json: 'text',
} as const satisfies Record<OperandKind, ScalarType>

/** Of a column of JSON, or of one that keeps its values sealed, nothing is known but whether it is null. */
function operandKind({ kind, codec }: Column): OperandKind {
  if (codec !== undefined) return 'json'
  const known = kindOfColumn(kind)
  return known === 'unknown' ? 'json' : known
}

export function columnOperand(column: Column, offset: number, values?: ReadonlySet<string>): Operand {
  const kind = operandKind(column)
  const term = computed(columnOf(column), TYPES[kind])
  const choice = values && { field: column.name, values }
  return { offset, kind, whole: column.kind === 'integer', choice, height: 1, bind: () => term }
}

export function literalOperand(literal: string | number, offset: number): Operand {
  const term = constant(literal)
  const isText = typeof literal === 'string'
  return {
    offset,
    kind: isText ? 'text' : 'number',
    whole: Number.isSafeInteger(literal),
    literal,
    height: 1,
    bind: () => term,
  }
}

/** A value that is known when the filter is bound, or before. */
export const valueOperand = (
  kind: OperandKind | undefined,
  offset: number,
  read: (binding: ScopeBinding) => string | number | boolean | null,
): Operand => ({ offset, kind, height: 1, bind: (binding) => constant(read(binding)) })

/** The kind that operands beside one another have: that of the first which is not written out, else of the first. */
export const kindAmong = (operands: readonly Operand[]): OperandKind | undefined =>
  operands.find(({ kind, literal }) => kind !== undefined && literal === undefined)?.kind ??
  operands.find(({ kind }) => kind !== undefined)?.kind

/** What is wrong with operands that may be equal: a text that is written out and is no value of the field beside it. */
export function choiceFaults(operands: readonly Operand[]): readonly Fault[] {
  const choice = operands.find((one) => one.choice !== undefined)?.choice
  if (choice === undefined) return []
  return operands.flatMap(({ literal, offset }) =>
    typeof literal === 'string' ? (choiceFault(literal, offset, choice) ?? []) : [],
  )
}

/** The operand as one of a kind. Throws ExpressionError where it is none. */
export function coerce(operand: Operand, kind: OperandKind | undefined): Operand {
  const { literal, offset } = operand
  if (kind === 'json' || operand.kind === 'json') {
    throw refusal(
      offset,
      'of a field of JSON a filter can only ask whether it is null',
      'write IS NULL or IS NOT NULL',
    )
  }
  if (operand.kind === kind || kind === undefined || areDates(operand.kind, kind)) return operand
  if (operand.kind === undefined && !areDates(kind, kind)) return operand
  if (typeof literal === 'string' && (kind === 'date' || kind === 'datetime'))
    return dateOf(literal, kind, offset)
  if (kind === 'boolean' && (literal === 0 || literal === 1))
    return valueOperand('boolean', offset, () => literal === 1)
  throw refusal(offset, `this is ${operand.kind ?? 'a placeholder'}, and stands beside ${kind}`)
}

/** A day beside date-times is its midnight, and a date-time beside days stays one. */
function dateOf(text: string, beside: 'date' | 'datetime', offset: number): Operand {
  const read = readInstant(text)
  if (read === undefined)
    throw refusal(offset, `'${text}' is no date`, "write it as '2026-01-31' or '2026-01-31T12:00:00Z'")
  const kind = beside === 'date' && read.dateOnly ? 'date' : 'datetime'
  const value = writeInstant({ at: read.at, dateOnly: kind === 'date' })
  return valueOperand(kind, offset, () => value)
}

export const areDates = (a: OperandKind | undefined, b: OperandKind | undefined): boolean =>
  (a === 'date' || a === 'datetime') && (b === 'date' || b === 'datetime')

/** The operand's scalar; undefined where it is null or a placeholder for a value of another type. */
export const scalarOf = (operand: Operand, binding: ScopeBinding, type: ScalarType) =>
  as(operand.bind(binding), type)

/** Says what is wrong with a filter. */
export const refusal = (offset: number, message: string, hint?: string): ExpressionError =>
  new ExpressionError([errorAt(offset, message, hint)])
