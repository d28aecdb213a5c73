import { type Node, visit, type Visitor } from './ast.ts'

/** A tree with every node for which `replace` has another in its place; what stands below such a node is not looked at. */
export function rewritten(node: Node, replace: (node: Node) => Node | undefined): Node {
  const next = (one: Node): Node => rewritten(one, replace)
  return replace(node) ?? visit(node, inside(next))
}

const inside = (next: (node: Node) => Node): Visitor<Node> => ({
  literal: (node) => node,
  name: (node) => node,
  variable: (node) => node,
  list: (node) => ({ ...node, items: node.items.map(next) }),
  member: (node) => ({ ...node, of: next(node.of) }),
  index: (node) => ({ ...node, of: next(node.of), index: next(node.index) }),
  call: (node) => ({ ...node, args: node.args.map(next) }),
  unary: (node) => ({ ...node, of: next(node.of) }),
  binary: (node) => ({ ...node, left: next(node.left), right: next(node.right) }),
  conditional: (node) => ({
    ...node,
    test: next(node.test),
    consequent: next(node.consequent),
    alternate: next(node.alternate),
  }),
})
