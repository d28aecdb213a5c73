import { type Node, visit, type Visitor } from './ast.ts'
import { BINARY, PRECEDENCE } from './operators.ts'

/** Writes a tree as canonical text with no more parentheses than it needs; it parses into an equal tree. */
export const print = (node: Node): string => visit(node, PRINTER)

const PRINTER: Visitor<string> = {
  literal: ({ value }) => (typeof value === 'string' ? quote(value) : String(value)),
  list: ({ items }) => `[${items.map(print).join(', ')}]`,
  name: ({ name }) => name,
  variable: ({ name }) => `$${name}`,
  member: ({ of, name }) => `${operand(of, PRECEDENCE.postfix)}.${name}`,
  index: ({ of, index }) => `${operand(of, PRECEDENCE.postfix)}[${print(index)}]`,
  call: ({ name, args }) => `${name}(${args.map(print).join(', ')})`,
  unary: ({ operator, of }) =>
    operator === '-' ? `-${operand(of, PRECEDENCE.negative)}` : `not ${operand(of, PRECEDENCE.not)}`,
  binary: ({ operator, left, right }) =>
    `${operand(left, BINARY[operator])} ${operator} ${operand(right, BINARY[operator] + 1)}`,
  conditional: ({ test, consequent, alternate }) =>
    `${operand(test, PRECEDENCE.fallback)} ? ${print(consequent)} : ${print(alternate)}`,
}

const PRECEDENCES: Visitor<number> = {
  literal: () => PRECEDENCE.primary,
  list: () => PRECEDENCE.primary,
  name: () => PRECEDENCE.primary,
  variable: () => PRECEDENCE.primary,
  member: () => PRECEDENCE.postfix,
  index: () => PRECEDENCE.postfix,
  call: () => PRECEDENCE.primary,
  unary: ({ operator }) => (operator === '-' ? PRECEDENCE.negative : PRECEDENCE.not),
  binary: ({ operator }) => BINARY[operator],
  conditional: () => PRECEDENCE.conditional,
}

const operand = (node: Node, tightness: number): string =>
  visit(node, PRECEDENCES) < tightness ? `(${print(node)})` : print(node)

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
  ["'", "\\'"],
])

const quote = (text: string): string =>
  `'${text.replace(/[\n\r\t\\']/g, (found) => ESCAPES.get(found) ?? found)}'`
