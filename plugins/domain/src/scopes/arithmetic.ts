import { callOf } from './function.ts'
import { literalOperand, type Operand, refusal } from './operand.ts'
import type { ScopeToken } from './tokens.ts'

/** `a + b`, `a - b`, and `a || b` for texts. */
export function sumOf({ word, offset }: ScopeToken, operands: readonly Operand[]): Operand {
  if (word === '||') return callOf('concat', operands, 'text', { kind: 'text' }, offset)
  const name = word === '+' ? 'add' : 'subtract'
  return callOf(name, operands, 'number', { kind: 'number', whole: areWhole(operands) }, offset)
}

/** Whole numbers divide without a rest, as they do in both stores' own SQL. */
export function productOf({ word, offset }: ScopeToken, operands: readonly Operand[]): Operand {
  const whole = areWhole(operands)
  if (word === '*') return callOf('multiply', operands, 'number', { kind: 'number', whole }, offset)
  if (word === '%') {
    if (!whole)
      throw refusal(
        offset,
        "'%' takes whole numbers: integer fields, lengths, and whole numbers as they are written",
      )
    return callOf('remainder', operands, 'number', { kind: 'number', whole }, offset)
  }
  const quotient = callOf('divide', operands, 'number', { kind: 'number' }, offset)
  return whole ? callOf('truncate', [quotient], 'number', { kind: 'number', whole }, offset) : quotient
}

/** `-a`. */
export function negativeOf(operand: Operand, offset: number): Operand {
  if (typeof operand.literal === 'number') return literalOperand(-operand.literal, offset)
  return callOf('negate', [operand], 'number', { kind: 'number', whole: operand.whole === true }, offset)
}

const areWhole = (operands: readonly Operand[]): boolean => operands.every(({ whole }) => whole === true)
