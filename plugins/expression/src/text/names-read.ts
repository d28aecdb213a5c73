import { children, type Node } from '../syntax/ast.ts'
import type { TextTree } from './compile.ts'
import type { Part } from './tree.ts'

/**
 * The names that a text reads, with what it reads of them (`customer.name`), each once, in order: `record.title` and
 * `$record.title` are `title`. Names that its loops give are its own.
 */
export function namesRead({
  parts,
  expressions,
}: Pick<TextTree, 'parts' | 'expressions'>): readonly string[] {
  const own = new Set(['loop', ...loopNames(parts)])
  const found = new Set<string>()
  for (const { ast } of expressions) gather(ast, found)
  return [...found].filter((name) => !own.has(name.split('.')[0]!)).toSorted()
}

function gather(node: Node, found: Set<string>): void {
  const path = pathOf(node)
  if (path === undefined) for (const child of children(node)) gather(child, found)
  else found.add(path.replace(/^\$?record\.(?=.)/, ''))
}

/** The path of a name or of a member of one; undefined for all else. */
function pathOf(node: Node): string | undefined {
  if (node.kind === 'name') return node.name
  if (node.kind === 'variable') return `$${node.name}`
  if (node.kind !== 'member') return undefined
  const of = pathOf(node.of)
  return of === undefined ? undefined : `${of}.${node.name}`
}

function loopNames(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === 'each')
      return [part.as ?? [], ...loopNames(part.body), ...loopNames(part.otherwise)].flat()
    if (part.kind === 'if')
      return [...part.branches.flatMap(({ body }) => loopNames(body)), ...loopNames(part.otherwise)]
    return []
  })
}
