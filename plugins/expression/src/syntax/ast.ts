import type { BinaryOperator } from './operators.ts'

/** Where a node stands: the offset, in UTF-16 units of the source, of the token that names it. */
interface Located {
  readonly offset: number
}
export interface Literal extends Located {
  readonly kind: 'literal'
  readonly value: string | number | boolean | null
}
export interface List extends Located {
  readonly kind: 'list'
  readonly items: readonly Node[]
}
/** A bare name: `amount`, `record`, `user`. */
export interface Name extends Located {
  readonly kind: 'name'
  readonly name: string
}
/** A name with `$` before it, which `name` leaves out. */
export interface Variable extends Located {
  readonly kind: 'variable'
  readonly name: string
}
export interface Member extends Located {
  readonly kind: 'member'
  readonly of: Node
  readonly name: string
}
export interface Index extends Located {
  readonly kind: 'index'
  readonly of: Node
  readonly index: Node
}
export interface Call extends Located {
  readonly kind: 'call'
  readonly name: string
  readonly args: readonly Node[]
}
export interface Unary extends Located {
  readonly kind: 'unary'
  readonly operator: 'not' | '-'
  readonly of: Node
}
export interface Binary extends Located {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Node
  readonly right: Node
}
export interface Conditional extends Located {
  readonly kind: 'conditional'
  readonly test: Node
  readonly consequent: Node
  readonly alternate: Node
}

/** An expression as a tree: plain, frozen data, the same for every back end. */
export type Node = Literal | List | Name | Variable | Member | Index | Call | Unary | Binary | Conditional

/** What to do with each kind of node. */
export type Visitor<R> = { readonly [N in Node as N['kind']]: (node: N) => R }

/** Hands a node to the visitor's function for its kind. */
export function visit<R>(node: Node, visitor: Visitor<R>): R {
  switch (node.kind) {
    case 'literal':
      return visitor.literal(node)
    case 'list':
      return visitor.list(node)
    case 'name':
      return visitor.name(node)
    case 'variable':
      return visitor.variable(node)
    case 'member':
      return visitor.member(node)
    case 'index':
      return visitor.index(node)
    case 'call':
      return visitor.call(node)
    case 'unary':
      return visitor.unary(node)
    case 'binary':
      return visitor.binary(node)
    case 'conditional':
      return visitor.conditional(node)
  }
}

/** The nodes right below a node, in the order of the source. */
export const children = (node: Node): readonly Node[] => visit(node, CHILDREN)

const NONE: readonly Node[] = Object.freeze([])

const CHILDREN: Visitor<readonly Node[]> = {
  literal: () => NONE,
  list: ({ items }) => items,
  name: () => NONE,
  variable: () => NONE,
  member: ({ of }) => [of],
  index: ({ of, index }) => [of, index],
  call: ({ args }) => args,
  unary: ({ of }) => [of],
  binary: ({ left, right }) => [left, right],
  conditional: ({ test, consequent, alternate }) => [test, consequent, alternate],
}
