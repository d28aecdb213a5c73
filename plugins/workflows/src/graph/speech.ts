import { type Expression, recordShape, type Resource, type Speech } from '@svc/domain/contract'
import type { Known, ObjectShape } from '@svc/expression/contract'

/** What the expressions of a step may name. */
export interface Scope {
  /** The resource whose record is at hand. */
  readonly resource: Resource | undefined
  /** Whether that record is an item. */
  readonly isItem: boolean
  /** Names after `$`, with what is known of their values. */
  readonly variables: ReadonlyMap<string, Known>
}

/** Names that no forEach can give its items. */
export const VARIABLES: readonly string[] = [
  'trigger',
  'event',
  'steps',
  'workflow',
  'error',
  'now',
  'record',
  'previous',
  'user',
  'op',
  'transition',
]

/** What a step's expressions speak of. */
export const speechOf = ({ resource, variables }: Scope): Speech => ({
  ...(resource && { resource }),
  moment: 'read',
  variables,
})

/** The same about an event of a record, which knows the record as it was. */
export const eventSpeechOf = (
  { variables }: Scope,
  about: Resource,
): Speech & { readonly resource: Resource } => ({
  resource: about,
  moment: 'write',
  variables: new Map<string, Known>([...variables, ['transition', 'text']]),
})

/** A value with these members and no others. */
export const shapeOf = (members: Readonly<Record<string, Known>>): ObjectShape => ({
  kind: 'object',
  members: new Map(Object.entries(members)),
})

/** What is known of an event of a resource's record; undefined: of some resource. */
export function eventShape(resource: Resource | undefined): ObjectShape {
  const record = resource === undefined ? 'unknown' : recordShape(resource)
  return shapeOf({ record, previous: record, transition: 'text' })
}

type Node = Expression['ast']

/** The names after `$` that an expression speaks of. */
export function variablesIn({ ast }: Expression): ReadonlySet<string> {
  const named = new Set<string>()
  const look = (node: Node): void => {
    if (node.kind === 'variable') named.add(node.name)
    for (const one of below(node)) look(one)
  }
  look(ast)
  return named
}

/** The steps whose results expressions name, of those that there are. */
export function stepsIn(expressions: readonly Expression[], steps: Iterable<string>): readonly string[] {
  const read = new Set<string>()
  const look = (node: Node): void => {
    const way = wayOf(node)
    // What stands before the last name of a way was looked at with it.
    if (way === undefined) for (const one of below(node)) look(one)
    else if (way[0] === 'steps') for (const name of way[1] === undefined ? steps : [way[1]]) read.add(name)
  }
  for (const { ast } of expressions) look(ast)
  return [...read]
}

/** The names from a variable on, such as `steps`, `ask`, `result`; undefined for anything else. */
function wayOf(node: Node): readonly string[] | undefined {
  if (node.kind === 'variable') return [node.name]
  if (node.kind === 'member') {
    const before = wayOf(node.of)
    return before && [...before, node.name]
  }
  if (node.kind !== 'index') return undefined
  const { index } = node
  const before = wayOf(node.of)
  if (before === undefined || index.kind !== 'literal') return undefined
  return [...before, String(index.value)]
}

function below(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
    case 'variable':
      return []
    case 'list':
      return node.items
    case 'call':
      return node.args
    case 'member':
    case 'unary':
      return [node.of]
    case 'index':
      return [node.of, node.index]
    case 'binary':
      return [node.left, node.right]
    case 'conditional':
      return [node.test, node.consequent, node.alternate]
  }
}
