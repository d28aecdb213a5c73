import type { Node } from './syntax/ast.ts'
import { isOffered, memberName, type Root, rootOf } from './names.ts'
import type { Relation } from './relation.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A way from a record that an expression names: `animal.household`. */
export interface Route {
  readonly root: Extract<Root, 'record' | 'previous'>
  /** One at least. */
  readonly steps: readonly Relation[]
}

/** The way that a node names as a whole; a field goes before a relation of its name. */
export function routeOf(node: Node, vocabulary: Vocabulary): Route | undefined {
  if (node.kind === 'name')
    return rootOf(node) === undefined && vocabulary.names?.has(node.name) !== true
      ? from('record', node.name, vocabulary)
      : undefined
  const name = memberName(node)
  if (name === undefined || (node.kind !== 'member' && node.kind !== 'index')) return undefined
  const root = rootOf(node.of)
  if (root === 'record' || root === 'previous')
    return isOffered(root, vocabulary) ? from(root, name, vocabulary) : undefined
  const before = routeOf(node.of, vocabulary)
  const next = before && relationOf(name, endOf(before).vocabulary)
  return before && next && { root: before.root, steps: [...before.steps, next] }
}

/** What a way leads to. */
export function endOf({ steps }: Route): Relation {
  const end = steps.at(-1)
  if (end === undefined) throw new Error('a route has a step')
  return end
}

/** A field at the end of a way: `animal.household.name`. */
export interface FieldRoute {
  readonly route: Route
  /** The field's name; undefined where it is not written out. */
  readonly field: string | undefined
}

/** The field of a related record that a node takes; undefined where it takes no part of one. */
export function fieldRouteOf(node: Node, vocabulary: Vocabulary): FieldRoute | undefined {
  if (node.kind !== 'member' && node.kind !== 'index') return undefined
  const route = routeOf(node.of, vocabulary)
  return route && { route, field: memberName(node) }
}

const from = (root: Route['root'], name: string, vocabulary: Vocabulary): Route | undefined => {
  const relation = relationOf(name, vocabulary)
  return relation && { root, steps: [relation] }
}

const relationOf = (name: string, { fields, relations }: Vocabulary): Relation | undefined =>
  relations === undefined || fields?.has(name) === true ? undefined : relations.get(name)

/** What a list function says of each record at the end of a way. */
export interface Gathering {
  readonly name: GatheringName
  readonly route: Route
  /** The argument that is worked out for each; undefined where there is none. */
  readonly each: Node | undefined
  /** The field that the short form `sum(lines.net)` names. */
  readonly field: string | undefined
}

/** The functions that go through related records. */
const GATHERINGS = ['count', 'size', 'sum', 'avg', 'min', 'max', 'first', 'last', 'any', 'all'] as const
export type GatheringName = (typeof GATHERINGS)[number]
const NAMES: ReadonlySet<string> = new Set(GATHERINGS)
/** Whether a call of this name may go through related records. */
export const isGatheringName = (name: string): name is GatheringName => NAMES.has(name)

/** How a call goes through related records; undefined for every other call. */
export function gatheringOf(node: Node, vocabulary: Vocabulary): Gathering | undefined {
  if (vocabulary.relations === undefined || node.kind !== 'call') return undefined
  const through = vocabulary.functions?.get(node.name)?.through?.(node, vocabulary)
  if (through)
    return { name: 'any', route: { root: 'record', steps: [through] }, each: saidOf(node), field: undefined }
  if (!isGatheringName(node.name)) return undefined
  const { name } = node
  const [list, each] = node.args
  if (list === undefined) return undefined
  const route = routeOf(list, vocabulary)
  if (route) return { name, route, each, field: undefined }
  const short = node.args.length === 1 ? fieldRouteOf(list, vocabulary) : undefined
  if (short?.field === undefined || !endOf(short.route).many) return undefined
  return { name, route: short.route, each: undefined, field: short.field }
}

const said = new WeakMap<Node, Node>()

/** What a call says of each record that it asks about: that it is there. It is the same node whoever asks. */
function saidOf(call: Node): Node {
  const known = said.get(call)
  if (known !== undefined) return known
  const made: Node = Object.freeze({ kind: 'literal', value: true, offset: call.offset })
  said.set(call, made)
  return made
}

/** What the argument for each related record may speak of: of the record itself by bare names alone. */
export function vocabularyInside(outer: Vocabulary, { vocabulary }: Relation): Vocabulary {
  return {
    get fields() {
      return vocabulary.fields
    },
    get choices() {
      return vocabulary.choices
    },
    get relations() {
      return vocabulary.relations
    },
    get ownerField() {
      return vocabulary.ownerField
    },
    get state() {
      return vocabulary.state
    },
    caller: outer.caller,
    parameters: outer.parameters,
    variables: outer.variables,
    functions: outer.functions,
    isRelated: true,
  }
}
