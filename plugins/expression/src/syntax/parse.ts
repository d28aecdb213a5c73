import { children, type Node } from './ast.ts'
import { errorAt, ExpressionError } from '../fault.ts'
import { LIMITS } from '../limits.ts'
import { BINARY, type BinaryOperator, canonical, isBinaryOperator, PRECEDENCE } from './operators.ts'
import { type Token, tokenize } from './tokens.ts'

/** Reads an expression into its frozen syntax tree. Throws ExpressionError with the first fault. */
export function parseExpression(source: string): Node {
  assertLength(source)
  return new Parser(tokenize(source)).whole()
}

/** What a value goes through on its way into a text, as it is written: `truncate: 20`. */
export interface WrittenPipe {
  readonly name: string
  readonly args: readonly Node[]
  readonly offset: number
}

/** Reads `expression | pipe: argument, argument | …`. Throws ExpressionError with the first fault. */
export function parsePiped(source: string): { readonly ast: Node; readonly pipes: readonly WrittenPipe[] } {
  assertLength(source)
  return new Parser(tokenize(source)).piped()
}

function assertLength(source: string): void {
  if (source.length > LIMITS.characters)
    throw fail(LIMITS.characters, `an expression has ${LIMITS.characters} characters at most`, 'split it')
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Words that mean something where an operand is expected, or never an operand; other words can be names. */
const RESERVED: ReadonlySet<string> = new Set(['and', 'or', 'in'])

/** Whether a word is read as a name where an operand is expected. */
export function isName(word: string): boolean {
  const sign = canonical(word)
  return sign !== 'not' && !RESERVED.has(sign) && !CONSTANTS.has(sign)
}

/** Precedence climbing: each call of `expression` reads operators that bind at least as tightly as asked. */
class Parser {
  readonly #tokens: readonly Token[]
  #at = 0
  #nesting = 0
  /** Of each node read so far. */
  readonly #heights = new Map<Node, number>()

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Node {
    const node = this.#expression(PRECEDENCE.conditional)
    const { kind } = this.#token
    if (kind !== 'end') throw this.#unexpected('the end or an operator')
    return node
  }

  piped(): { readonly ast: Node; readonly pipes: readonly WrittenPipe[] } {
    const ast = this.#expression(PRECEDENCE.conditional)
    const pipes: WrittenPipe[] = []
    while (this.#token.sign === '|') {
      this.#at++
      pipes.push(this.#pipe())
    }
    if (this.#token.kind !== 'end') throw this.#unexpected("the end, an operator or '|'")
    return { ast, pipes }
  }

  #pipe(): WrittenPipe {
    if (this.#token.kind !== 'word') throw this.#unexpected('the name of a pipe')
    const { text: name, offset } = this.#next()
    const args: Node[] = []
    for (let sign = ':'; this.#token.sign === sign; sign = ',') {
      this.#at++
      args.push(this.#expression(PRECEDENCE.conditional))
    }
    return { name, args, offset }
  }

  #expression(tightness: number): Node {
    if (++this.#nesting > LIMITS.nesting) {
      throw fail(this.#token.offset, `nested deeper than ${LIMITS.nesting} levels`, 'split the expression')
    }
    let node = this.#operand()
    for (let operator = this.#binary(tightness); operator !== undefined; operator = this.#binary(tightness)) {
      const { offset } = this.#token
      this.#at += operator === 'not in' ? 2 : 1
      const right = this.#expression(BINARY[operator] + 1)
      node = this.#node({ kind: 'binary', operator, left: node, right, offset })
    }
    if (tightness <= PRECEDENCE.conditional && this.#token.sign === '?') node = this.#conditional(node)
    this.#nesting--
    return node
  }

  /** The operator that comes next, if there is one that binds tightly enough. */
  #binary(tightness: number): BinaryOperator | undefined {
    const { sign } = this.#token
    const operator = sign === 'not' && this.#tokens[this.#at + 1]?.sign === 'in' ? 'not in' : sign
    return isBinaryOperator(operator) && BINARY[operator] >= tightness ? operator : undefined
  }

  #conditional(test: Node): Node {
    const { offset } = this.#next()
    const consequent = this.#expression(PRECEDENCE.conditional)
    this.#expect(':')
    const alternate = this.#expression(PRECEDENCE.conditional)
    return this.#node({ kind: 'conditional', test, consequent, alternate, offset })
  }

  #operand(): Node {
    const { sign, offset } = this.#token
    if (sign === '-' || sign === 'not') {
      this.#at++
      const of = this.#expression(sign === '-' ? PRECEDENCE.negative : PRECEDENCE.not)
      return this.#node({ kind: 'unary', operator: sign, of, offset })
    }
    return this.#postfix(this.#primary())
  }

  #postfix(node: Node): Node {
    for (;;) {
      const { sign, offset } = this.#token
      if (sign === '.') {
        this.#at++
        if (this.#token.kind !== 'word') throw this.#unexpected('a name')
        node = this.#node({ kind: 'member', of: node, name: this.#next().text, offset })
      } else if (sign === '[') {
        this.#at++
        const index = this.#expression(PRECEDENCE.conditional)
        this.#expect(']')
        node = this.#node({ kind: 'index', of: node, index, offset })
      } else {
        return node
      }
    }
  }

  #primary(): Node {
    const { kind, text, sign, offset } = this.#token
    if (kind === 'text') return this.#literal(text)
    if (kind === 'number') return this.#literal(this.#finite(text))
    if (kind === 'variable') return this.#leaf({ kind: 'variable', name: text, offset })
    if (kind === 'word' && !RESERVED.has(sign)) return this.#word()
    if (sign === '(') return this.#parenthesized()
    if (sign === '[') {
      this.#at++
      return this.#node({ kind: 'list', items: this.#sequence(']'), offset })
    }
    throw this.#unexpected('a value')
  }

  #word(): Node {
    const { text: name, sign, offset } = this.#token
    const constant = CONSTANTS.get(sign)
    if (constant !== undefined) return this.#literal(constant)
    this.#at++
    if (this.#token.sign !== '(') return this.#node({ kind: 'name', name, offset })
    this.#at++
    return this.#node({ kind: 'call', name, args: this.#sequence(')'), offset })
  }

  #parenthesized(): Node {
    this.#at++
    const inside = this.#expression(PRECEDENCE.conditional)
    this.#expect(')')
    return inside
  }

  /** Expressions between commas, up to and with the closing sign. */
  #sequence(close: ')' | ']'): readonly Node[] {
    const items: Node[] = []
    if (this.#token.sign !== close) {
      items.push(this.#expression(PRECEDENCE.conditional))
      while (this.#token.sign === ',') {
        this.#at++
        items.push(this.#expression(PRECEDENCE.conditional))
      }
    }
    this.#expect(close)
    return Object.freeze(items)
  }

  #finite(digits: string): number {
    const value = Number(digits)
    if (Number.isFinite(value)) return value
    throw fail(this.#token.offset, `the number ${digits} is too large`)
  }

  #literal(value: string | number | boolean | null): Node {
    return this.#leaf({ kind: 'literal', value, offset: this.#token.offset })
  }

  /** A node of a single token. */
  #leaf(node: Node): Node {
    this.#at++
    return this.#node(node)
  }

  #node(node: Node): Node {
    const height =
      children(node).reduce((most, child) => Math.max(most, this.#heights.get(child) ?? 0), 0) + 1
    this.#heights.set(node, height)
    if (this.#heights.size > LIMITS.nodes) {
      throw fail(node.offset, `an expression has ${LIMITS.nodes} parts at most`, 'split it')
    }
    if (height > LIMITS.height) {
      throw fail(
        node.offset,
        `more than ${LIMITS.height} parts in a row`,
        "split it, or use a list with 'in'",
      )
    }
    return Object.freeze(node)
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? END
  }

  #next(): Token {
    const token = this.#token
    this.#at++
    return token
  }

  #expect(sign: string): void {
    if (this.#token.sign !== sign) throw this.#unexpected(`'${sign}'`)
    this.#at++
  }

  #unexpected(wanted: string): ExpressionError {
    const { kind, text, offset } = this.#token
    return fail(
      offset,
      `expected ${wanted}, but found ${kind === 'end' ? 'the end' : `'${text.slice(0, 40)}'`}`,
      text === '|' ? "write 'or' or '||'" : undefined,
    )
  }
}

const END: Token = { kind: 'end', text: '', sign: '', offset: 0 }

const fail = (offset: number, message: string, hint?: string): ExpressionError =>
  new ExpressionError([errorAt(offset, message, hint)])
