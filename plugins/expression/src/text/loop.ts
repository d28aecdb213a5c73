import { children, type Node } from '../syntax/ast.ts'
import { errorAt, type Fault } from '../fault.ts'
import { type Known, shapeIn } from '../values/kind.ts'
import { ROOTS } from '../names.ts'
import type { Expression } from '../expression.ts'
import type { Vocabulary } from '../vocabulary.ts'
import type { EachPart } from './tree.ts'

/** The name under which a loop tells where it stands. */
export const LOOP = 'loop'

const LOOP_MEMBERS: Known = {
  kind: 'object',
  members: new Map<string, Known>([
    ['index', 'number'],
    ['first', 'boolean'],
    ['last', 'boolean'],
    ['count', 'number'],
  ]),
}

const TAKEN: ReadonlySet<string> = new Set([
  ...ROOTS,
  LOOP,
  'true',
  'false',
  'null',
  'and',
  'or',
  'not',
  'in',
])

/** What is wrong with the name of an item. */
export const nameFault = (name: string | undefined, offset: number): Fault | undefined =>
  name !== undefined && TAKEN.has(name)
    ? errorAt(offset, `'${name}' has a meaning of its own`, 'give the item another name')
    : undefined

/** What may be named inside of a loop: the item, its members by bare names, `loop`, and all that is there outside. */
export function vocabularyOfItems(
  outer: Vocabulary,
  { shape }: Pick<Expression, 'shape'>,
  as: string | undefined,
): Vocabulary {
  const items: Known = shape?.kind === 'list' ? shape.items : 'unknown'
  const inside = shapeIn(items)
  const members = inside?.kind === 'object' ? inside : undefined
  const sources = new Map(outer.sources)
  for (const name of members?.members.keys() ?? []) {
    if (members?.source) sources.set(name, members.source)
    else sources.delete(name)
  }
  return {
    ...within(outer),
    names: new Map([
      ...(outer.names ?? []),
      ...(members?.members ?? []),
      ...(as === undefined ? [] : [[as, items] as const]),
      [LOOP, LOOP_MEMBERS],
    ]),
    sources,
    isOpen: outer.isOpen === true || items === 'unknown',
  }
}

/** The bare names that stand in expressions. */
export function namesIn(expressions: readonly Expression[]): ReadonlySet<string> {
  const names = new Set<string>()
  const look = (node: Node): void => {
    if (node.kind === 'name') names.add(node.name)
    else children(node).forEach(look)
  }
  for (const { ast } of expressions) look(ast)
  return names
}

/** Which of these names may be members of a loop's items. */
export function membersAmong(
  names: ReadonlySet<string>,
  { shape }: Pick<Expression, 'shape'>,
): Pick<EachPart, 'members' | 'isClosed'> {
  const items = shape?.kind === 'list' ? shape.items : 'unknown'
  if (items === 'unknown') return { members: names, isClosed: false }
  const inside = shapeIn(items)
  const known = inside?.kind === 'object' ? inside.members : NO_MEMBERS
  return { members: new Set([...names].filter((name) => known.has(name))), isClosed: true }
}

const NO_MEMBERS: ReadonlyMap<string, Known> = new Map()

/** A vocabulary answers some of its parts only when it is asked, so it is not copied by spreading. */
const within = (outer: Vocabulary): Vocabulary => ({
  get fields() {
    return outer.fields
  },
  get choices() {
    return outer.choices
  },
  get relations() {
    return outer.relations
  },
  get ownerField() {
    return outer.ownerField
  },
  isRelated: outer.isRelated,
  previous: outer.previous,
  caller: outer.caller,
  state: outer.state,
  parameters: outer.parameters,
  variables: outer.variables,
  functions: outer.functions,
})
