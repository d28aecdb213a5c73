import { ARITHMETIC, type Value } from '@svc/store/contract'
import { readInstant } from './instant.ts'
import { isList, isObject } from './kind.ts'
import { asText, compareText, joinTexts } from './text.ts'

/** An operator between two values; no operator throws. */
export type Operation = (left: Value, right: Value) => Value

/** An object's own property; null for anything else, so that nothing inherited can be reached. */
export function member(of: Value, name: string): Value {
  if (isList(of)) return membersOf(of, name)
  return isObject(of) && Object.hasOwn(of, name) ? (of[name] ?? null) : null
}

/** Of a list of objects the list of what each has by the name. */
const membersOf = (list: readonly Value[], name: string): Value =>
  list.every((one) => one === null || isObject(one)) ? list.map((one) => member(one, name)) : null

/** `[i]`: the item of a list or the character of a text, counted from 0, or an object's own property. */
export function item(of: Value, index: Value): Value {
  if (typeof index === 'string') return member(of, index)
  if (typeof index !== 'number' || index < 0 || !Number.isInteger(index)) return null
  if (typeof of === 'string') return characterAt(of, index)
  return isList(of) ? (of[index] ?? null) : null
}

function characterAt(text: string, index: number): string | null {
  let i = 0
  for (const character of text) if (i++ === index) return character
  return null
}

/** How deep lists and objects are compared; no stored value is deeper. */
const DEPTH = 100

/** `==`: null is a value of its own, different types are never equal, lists and objects compare by what they hold. */
export function equals(a: Value, b: Value, depth = 0): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > DEPTH)
    return false
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((one, i) => equals(one, b[i] ?? null, depth + 1))
  return isObject(a) && isObject(b) && sameProperties(a, b, depth)
}

type Properties = Readonly<Record<string, Value>>

function sameProperties(a: Properties, b: Properties, depth: number): boolean {
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && equals(a[name] ?? null, b[name] ?? null, depth + 1))
}

/** Negative, zero or positive for two numbers or two texts; null for all else, which has no order. */
function order(a: Value, b: Value): number | null {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : null
}

/** The comparisons of a way to be equal and a way to be ordered. */
function comparisons(
  same: (a: Value, b: Value) => boolean,
  difference: (a: Value, b: Value) => number | null,
) {
  const ordered =
    (holds: (sign: number) => boolean): Operation =>
    (a, b) => {
      const sign = difference(a, b)
      return sign === null ? null : holds(sign)
    }
  const among: Operation = (a, b) => (isList(b) ? b.some((one) => same(a, one)) : null)
  return {
    '==': (a, b) => same(a, b),
    '!=': (a, b) => !same(a, b),
    '<': ordered((sign) => sign < 0),
    '<=': ordered((sign) => sign <= 0),
    '>': ordered((sign) => sign > 0),
    '>=': ordered((sign) => sign >= 0),
    in: among,
    'not in': (a, b) => not(among(a, b)),
    contains: (a, b) => (typeof a === 'string' && typeof b === 'string' ? a.includes(b) : among(b, a)),
  } as const satisfies Record<string, Operation>
}

/** Comparisons of values as they are. */
export const COMPARISONS = comparisons(equals, order)

export type Comparison = keyof typeof COMPARISONS

/** Comparisons where one side is a date or date-time: the texts of both sides are read as instants. */
export const INSTANT_COMPARISONS: Record<Comparison, Operation> = comparisons(
  (a, b) => (a === null || b === null ? a === b : instantOrder(a, b) === 0),
  instantOrder,
)

function instantOrder(a: Value, b: Value): number | null {
  const left = readInstant(a)
  const right = left && readInstant(b)
  return left === undefined || right === undefined ? null : left.at - right.at
}

const arithmetic =
  (calculate: (a: number, b: number) => number): Operation =>
  (a, b) =>
    typeof a === 'number' && typeof b === 'number' ? finite(calculate(a, b)) : null

/** The number, or null where it is none: a division by zero, a result past what a double holds. */
export const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

const withTexts =
  (ask: (a: string, b: string) => boolean): Operation =>
  (a, b) =>
    typeof a === 'string' && typeof b === 'string' ? ask(a, b) : null

/** The operators that need both values and nothing else. */
export const OPERATIONS = {
  '+': (a, b) => (typeof a === 'string' && typeof b === 'string' ? joinTexts([a, b]) : sum(a, b)),
  '-': arithmetic(ARITHMETIC.subtract),
  '*': arithmetic(ARITHMETIC.multiply),
  '/': arithmetic(ARITHMETIC.divide),
  '%': arithmetic(ARITHMETIC.remainder),
  startsWith: withTexts((a, b) => a.startsWith(b)),
  endsWith: withTexts((a, b) => a.endsWith(b)),
} as const satisfies Record<string, Operation>

const sum = arithmetic(ARITHMETIC.add)

/** Unary `-`. */
export const negate = (value: Value): Value => (typeof value === 'number' ? -value : null)

/** `not`: what is neither true nor false stays unknown. */
export const not = (value: Value): Value => (typeof value === 'boolean' ? !value : null)

/** `and` of two sides that were both evaluated. */
export function and(a: Value, b: Value): Value {
  if (a === false || b === false) return false
  return a === true && b === true ? true : null
}

/** `or` of two sides that were both evaluated. */
export function or(a: Value, b: Value): Value {
  if (a === true || b === true) return true
  return a === false && b === false ? false : null
}

/** The scalars of a list as texts, nulls left out; null where an item is a list or an object. */
export function textsOf(list: readonly Value[]): readonly string[] | null {
  const texts: string[] = []
  for (const one of list) {
    if (one === null) continue
    const text = asText(one)
    if (text === undefined) return null
    texts.push(text)
  }
  return texts
}
