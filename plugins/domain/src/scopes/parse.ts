import { nearest } from '@svc/kernel'
import type { Column } from '@svc/store/contract'
import { type Choices, didYouMean, type ExpressionError, type Fault, LIMITS } from '@svc/expression/contract'
import {
  allOf,
  anyOf,
  betweenOf,
  COMPARISONS,
  comparisonOf,
  likeOf,
  membershipOf,
  notOf,
  nullTestOf,
  truth,
} from './compare.ts'
import type { AddedCalls } from './added.ts'
import { negativeOf, productOf, sumOf } from './arithmetic.ts'
import { nowOf, SCOPE_FUNCTIONS } from './function.ts'
import { choiceFaults, coerce, columnOperand, literalOperand, type Operand, refusal } from './operand.ts'
import { placeholder } from './placeholder.ts'
import type { ScopeToken } from './tokens.ts'

/** What a filter may name. */
export interface ScopeNames {
  readonly columns: ReadonlyMap<string, Column>
  /** The texts that fields may hold. */
  readonly choices?: Choices | undefined
  /** Functions of plugins. */
  readonly added?: AddedCalls | undefined
}

/** Reads the condition that the tokens of a filter make, and what is hardly meant in it. Throws ExpressionError. */
export function parseScopeTokens(
  tokens: readonly ScopeToken[],
  names: ScopeNames,
): { readonly condition: Operand; readonly warnings: readonly Fault[] } {
  const parser = new ScopeParser(tokens, names)
  return { condition: parser.whole(), warnings: parser.warnings }
}

/** Words that are no name of a field unless they stand in double quotes. */
const RESERVED: ReadonlySet<string> = new Set(['and', 'or', 'not', 'in', 'is', 'null', 'like', 'between'])

class ScopeParser {
  readonly warnings: Fault[] = []
  readonly #tokens: readonly ScopeToken[]
  readonly #columns: ReadonlyMap<string, Column>
  readonly #choices: Choices | undefined
  readonly #added: AddedCalls | undefined
  #at = 0
  #nesting = 0

  constructor(tokens: readonly ScopeToken[], { columns, choices, added }: ScopeNames) {
    this.#tokens = tokens
    this.#columns = columns
    this.#choices = choices
    this.#added = added
  }

  whole(): Operand {
    const condition = asCondition(this.#disjunction())
    if (this.#token.kind !== 'end') throw this.#unexpected('the end, an operator, AND or OR')
    return condition
  }

  #disjunction(): Operand {
    if (++this.#nesting > LIMITS.nesting)
      throw refusal(this.#token.offset, `nested deeper than ${LIMITS.nesting} levels`)
    const parts = [this.#conjunction()]
    while (this.#take('or')) parts.push(this.#conjunction())
    this.#nesting--
    return this.#only(parts, anyOf)
  }

  #conjunction(): Operand {
    const parts = [this.#negation()]
    while (this.#take('and')) parts.push(this.#negation())
    return this.#only(parts, allOf)
  }

  #only(parts: readonly Operand[], combine: (parts: readonly Operand[]) => Operand): Operand {
    const [first] = parts
    return first !== undefined && parts.length === 1 ? first : combine(parts.map(asCondition))
  }

  #negation(): Operand {
    let negated: boolean | undefined
    while (this.#take('not')) negated = negated !== true
    const part = this.#predicate()
    if (negated === undefined) return part
    return negated ? notOf(asCondition(part)) : asCondition(part)
  }

  #predicate(): Operand {
    const left = this.#sum()
    const by = COMPARISONS.get(this.#token.word)
    if (by !== undefined) {
      this.#at++
      const right = this.#sum()
      if (by === 'eq' || by === 'ne') this.warnings.push(...choiceFaults([left, right]))
      return this.#checked(comparisonOf(by, left, right))
    }
    if (this.#take('is')) {
      const negated = this.#take('not')
      this.#expect('null')
      return negated ? notOf(nullTestOf(left)) : nullTestOf(left)
    }
    const negated = this.#take('not')
    const condition = this.#range(left)
    if (condition !== undefined) return this.#checked(negated ? notOf(condition) : condition)
    if (negated) throw this.#unexpected('IN, LIKE or BETWEEN')
    return left
  }

  #range(left: Operand): Operand | undefined {
    if (this.#take('in')) {
      this.#expect('(')
      const list = this.#list(left.offset)
      if (left.choice) this.warnings.push(...choiceFaults([left, ...list]))
      return membershipOf(left, list)
    }
    if (this.#take('like')) return likeOf(left, this.#sum())
    if (!this.#take('between')) return undefined
    const low = this.#sum()
    this.#expect('and')
    return betweenOf(left, low, this.#sum())
  }

  /** Values between commas up to and with the closing parenthesis; one at least. */
  #list(offset: number): readonly Operand[] {
    const items = this.#token.word === ')' ? [] : [this.#disjunction()]
    while (items.length > 0 && this.#take(',')) items.push(this.#disjunction())
    this.#expect(')')
    if (items.length === 0) throw refusal(offset, 'IN needs a value inside its parentheses')
    return items
  }

  #sum(): Operand {
    let left = this.#product()
    for (let sign = this.#token; isSign(sign, SUMS); sign = this.#token) {
      this.#at++
      const operands = [left, this.#product()]
      left = this.#checked(sumOf(sign, operands))
    }
    return left
  }

  #product(): Operand {
    let left = this.#signed()
    for (let sign = this.#token; isSign(sign, PRODUCTS); sign = this.#token) {
      this.#at++
      left = this.#checked(productOf(sign, [left, this.#signed()]))
    }
    return left
  }

  #signed(): Operand {
    const { offset } = this.#token
    let negative = false
    while (this.#token.word === '-' || this.#token.word === '+') {
      if (this.#token.word === '-') negative = !negative
      this.#at++
    }
    const operand = this.#primary()
    return negative ? negativeOf(operand, offset) : operand
  }

  #primary(): Operand {
    const { kind, text, word, offset } = this.#token
    this.#at++
    if (kind === 'text') return literalOperand(text, offset)
    if (kind === 'number') return literalOperand(finite(text, offset), offset)
    if (kind === 'placeholder') return placeholder(text, offset)
    if (word === 'true' || word === 'false') return truth(word === 'true', offset)
    if (word === '(') {
      const inside = this.#disjunction()
      this.#expect(')')
      return inside
    }
    if (kind === 'name' && !RESERVED.has(word)) return this.#named(text, word, offset)
    this.#at--
    throw this.#unexpected('a value')
  }

  #named(name: string, word: string, offset: number): Operand {
    if (word !== '' && this.#token.word === '(') return this.#call(name, word, offset)
    if (word === 'current_timestamp') return nowOf([], offset)
    const column = this.#columns.get(name)
    if (column !== undefined) return columnOperand(column, offset, this.#choices?.get(name))
    throw refusal(
      offset,
      `there is no stored field '${name}'`,
      didYouMean(nearest(name, this.#columns.keys())),
    )
  }

  #call(name: string, word: string, offset: number): Operand {
    const called = SCOPE_FUNCTIONS.get(word)
    const isAdded = this.#added?.names.includes(name) === true
    if (called === undefined && !isAdded) {
      throw refusal(
        offset,
        `a filter has no function '${name}'`,
        `it has ${[...SCOPE_FUNCTIONS.keys(), ...(this.#added?.names ?? [])].join(', ')}`,
      )
    }
    this.#at++
    const args = this.#token.word === ')' ? [] : [this.#disjunction()]
    while (args.length > 0 && this.#take(',')) args.push(this.#disjunction())
    this.#expect(')')
    return this.#checked(called?.(args, offset) ?? this.#added!.call(name, args, offset))
  }

  /** Refuses what is too deep for the statement of a store. */
  #checked(operand: Operand): Operand {
    if (operand.height <= LIMITS.height) return operand
    throw refusal(operand.offset, `more than ${LIMITS.height} parts in a row`, 'split the filter, or use IN')
  }

  get #token(): ScopeToken {
    return this.#tokens[this.#at] ?? END
  }

  #take(word: string): boolean {
    if (this.#token.word !== word) return false
    this.#at++
    return true
  }

  #expect(word: string): void {
    if (!this.#take(word)) throw this.#unexpected(`'${word.toUpperCase()}'`)
  }

  #unexpected(wanted: string): ExpressionError {
    const { kind, text, offset } = this.#token
    return refusal(
      offset,
      `expected ${wanted}, but found ${kind === 'end' ? 'the end' : `'${text.slice(0, 40)}'`}`,
    )
  }
}

const END: ScopeToken = { kind: 'end', text: '', word: '', offset: 0 }

const SUMS: ReadonlySet<string> = new Set(['+', '-', '||'])
const PRODUCTS: ReadonlySet<string> = new Set(['*', '/', '%'])
const isSign = ({ word }: ScopeToken, signs: ReadonlySet<string>): boolean => signs.has(word)

function asCondition(operand: Operand): Operand {
  const { kind, offset } = operand
  if (kind === undefined || kind === 'boolean' || operand.literal === 0 || operand.literal === 1) {
    return coerce(operand, 'boolean')
  }
  throw refusal(offset, `this is ${kind} where a condition belongs`, 'compare it with something')
}

function finite(digits: string, offset: number): number {
  const value = Number(digits)
  if (Number.isFinite(value)) return value
  throw refusal(offset, `the number ${digits} is too large`)
}
