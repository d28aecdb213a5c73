import { type Node, visit, type Visitor } from '../syntax/ast.ts'
import type { Checked } from '../check/checked.ts'
import type { Evaluate } from './closure.ts'
import { compileExpression } from './compile.ts'
import { memberName, resolve, rootOf } from '../names.ts'
import type { Vocabulary } from '../vocabulary.ts'

/** A field of the record that a condition compares by `==` with what does not depend on the record. */
export interface Fixed {
  readonly field: string
  /** What it is compared with. */
  readonly value: Evaluate
}

/**
 * The fields whose values a condition fixes: where it is true, each of them is equal to its value, which is the same for
 * every record and at any time. `varying` are variables that are not.
 */
export function fixedBy(
  ast: Node,
  vocabulary: Vocabulary,
  kinds: Checked['kinds'],
  varying: readonly string[],
): readonly Fixed[] {
  const isFixed = fixedness(vocabulary, varying)
  const compared = (side: Node, other: Node): readonly Fixed[] => {
    const field = fieldOf(side, vocabulary)
    if (field === undefined || !isFixed(other)) return []
    return [{ field, value: compileExpression(other, vocabulary, kinds) }]
  }
  const look = (node: Node): readonly Fixed[] => {
    if (node.kind !== 'binary') return []
    const { operator, left, right } = node
    if (operator === 'and') return [...look(left), ...look(right)]
    return operator === '==' ? [...compared(left, right), ...compared(right, left)] : []
  }
  return look(ast)
}

/** The record's field that a node names, as `id` or `record.id`. */
function fieldOf(node: Node, vocabulary: Vocabulary): string | undefined {
  if (node.kind === 'name') return resolve(node, vocabulary)?.of === 'field' ? node.name : undefined
  if (node.kind !== 'member' && node.kind !== 'index') return undefined
  const name = memberName(node)
  return rootOf(node.of) === 'record' && name !== undefined && vocabulary.fields?.has(name) ? name : undefined
}

function fixedness(vocabulary: Vocabulary, varying: readonly string[]): (node: Node) => boolean {
  const all = (nodes: readonly Node[]) => nodes.every((node) => visit(node, visitor))
  const visitor: Visitor<boolean> = {
    literal: () => true,
    list: ({ items }) => all(items),
    name: () => false,
    variable: (node) => resolve(node, vocabulary)?.of === 'variable' && !varying.includes(node.name),
    member: ({ of }) => all([of]),
    index: ({ of, index }) => all([of, index]),
    // A function may tell the time.
    call: () => false,
    unary: ({ of }) => all([of]),
    binary: ({ left, right }) => all([left, right]),
    conditional: ({ test, consequent, alternate }) => all([test, consequent, alternate]),
  }
  return (node) => visit(node, visitor)
}
