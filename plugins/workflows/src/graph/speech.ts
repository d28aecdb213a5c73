import type { Expression, Path, Resource, Site, Speech } from '@svc/domain/contract'
import { didYouMean, type Kind } from '@svc/expression/contract'
import { nearest } from '@svc/kernel'

/** What the expressions of a step may name. */
export interface Scope {
  /** The resource whose record is at hand. */
  readonly resource: Resource | undefined
  /** Whether that record is an item. */
  readonly isItem: boolean
  /** The resource of the record that started the instance. */
  readonly triggering: Resource | undefined
  /** The names after `$` by which the items of each forEach around it go. */
  readonly items: readonly string[]
  /** Whether it stands in the handler. */
  readonly isHandler: boolean
  /** The names of all steps. */
  readonly steps: ReadonlySet<string>
}

/** Names that no forEach can give its items. */
export const VARIABLES = [
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
] as const

/** What a step's expressions speak of; `about` is the resource of the bare names, that of the record at hand unless said. */
export function speechOf(scope: Scope, about: Resource | undefined = scope.resource): Speech {
  return { ...(about && { resource: about }), moment: 'read', variables: variablesOf(scope) }
}

/** The same about an event of a record, which knows the record as it was. */
export function eventSpeechOf(scope: Scope, about: Resource): Speech & { readonly resource: Resource } {
  const variables = new Map<string, Kind>([...variablesOf(scope), ['transition', 'text']])
  return { resource: about, moment: 'write', variables }
}

export function variablesOf({ items, isHandler }: Scope): ReadonlyMap<string, Kind> {
  return new Map<string, Kind>([
    ['trigger', 'object'],
    ['event', 'object'],
    ['steps', 'object'],
    ['workflow', 'object'],
    ...items.map((name) => [name, 'unknown'] as const),
    ...(items.length > 0 ? [['item', 'unknown'] as const] : []),
    ...(isHandler ? [['error', 'object'] as const] : []),
  ])
}

type Node = Expression['ast']

/** Reports names after `$` that lead to nothing; answers the steps whose results are named. */
export function checkNames(
  expressions: readonly Expression[],
  scope: Scope,
  path: Path,
  site: Pick<Site, 'problem'>,
): readonly string[] {
  const read = new Set<string>()
  const look = (node: Node): void => {
    const way = wayOf(node)
    if (way !== undefined) {
      const fault = faultOf(way, scope)
      if (fault !== undefined) site.problem(path, fault.message, fault.hint)
      if (way[0] === 'steps' && way[1] !== undefined) read.add(way[1])
      else if (way[0] === 'steps') for (const name of scope.steps) read.add(name)
    }
    // What stands before the last name of a way was looked at with it.
    if (way === undefined) for (const one of below(node)) look(one)
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
  const before = wayOf(node.of)
  const { index } = node
  if (before === undefined || index.kind !== 'literal' || typeof index.value !== 'string') return undefined
  return [...before, index.value]
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

interface Fault {
  readonly message: string
  readonly hint: string | undefined
}

function faultOf([root, first, second]: readonly string[], scope: Scope): Fault | undefined {
  if (first === undefined || root === undefined) return undefined
  const members = MEMBERS.get(root)
  if (members !== undefined && !members.includes(first)) return unknown(`$${root}`, first, members)
  if (root === 'steps' && !scope.steps.has(first))
    return { message: `there is no step '${first}'`, hint: didYouMean(nearest(first, scope.steps)) }
  if (second === undefined) return undefined
  if (root === 'steps' && !OF_STEPS.includes(second)) return unknown(`$steps.${first}`, second, OF_STEPS)
  if (root !== 'trigger') return undefined
  if (first === 'actor' && !OF_ACTORS.includes(second)) return unknown('$trigger.actor', second, OF_ACTORS)
  if (first !== 'record') return undefined
  const { triggering } = scope
  if (triggering === undefined)
    return { message: 'there is no `$trigger.record`: the trigger names no resource', hint: undefined }
  const fields = [...triggering.fields.keys()]
  return fields.includes(second) ? undefined : unknown('$trigger.record', second, fields)
}

const MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['trigger', ['record', 'actor', 'input']],
  ['event', ['record', 'previous', 'transition']],
  ['workflow', ['id', 'name', 'startedAt']],
  ['error', ['step', 'code', 'message']],
])
const OF_STEPS = ['result', 'event']
const OF_ACTORS = ['id', 'username']

const unknown = (of: string, name: string, known: readonly string[]): Fault => ({
  message: `\`${of}\` has no '${name}'`,
  hint: didYouMean(nearest(name, known)) ?? (known.length <= 5 ? `It has ${known.join(', ')}` : undefined),
})
