import { children, type Node } from '../syntax/ast.ts'
import { errorAt, type Fault } from '../fault.ts'
import { findFunction } from '../functions/functions.ts'
import { SELF } from './crossing.ts'
import type { Kind } from '../values/kind.ts'
import { memberName } from '../names.ts'
import { rewritten } from '../syntax/rewritten.ts'
import type { Other, Vocabulary } from '../vocabulary.ts'

/** The variable by which a filter that is turned round reads the other record; no text can write it. */
export const OTHER = '~other'

/** What a filter may speak of: the other record's fields, and `$record`, which has these fields. */
export const filterVocabulary = (
  { fields, choices, functions }: Other,
  own: ReadonlyMap<string, Kind> | undefined,
): Vocabulary => ({
  fields,
  choices,
  functions,
  isRelated: true,
  variables: new Map([[SELF, { kind: 'object', members: own ?? new Map<string, Kind>(), source: OWN }]]),
})

/** The source of the shape of `$record`. */
export const OWN: object = Object.freeze({})

/** A filter as it is written, with `$record` under a name that stands for a value at hand. */
export const withSelf = (ast: Node): Node =>
  rewritten(ast, (node) =>
    node.kind === 'variable' && node.name === 'record' ? { ...node, name: SELF } : undefined,
  )

/** What is wrong with a filter whose reading cannot be told beforehand, or is not the other record's. */
export function filterFault(ast: Node, vocabulary: Vocabulary): Fault | undefined {
  if (ast.kind === 'variable' && ast.name === SELF)
    return errorAt(
      ast.offset,
      "'$record' cannot be taken as a whole",
      'name one of its fields, as in $record.id',
    )
  if (ast.kind === 'call' && findFunction(ast.name, vocabulary)?.reads.includes('record') === true)
    return errorAt(
      ast.offset,
      `'${ast.name}' asks about a record by itself`,
      'name the fields that it would read',
    )
  const inside = isOfSelf(ast) && memberName(ast) !== undefined ? [] : children(ast)
  return inside.map((node) => filterFault(node, vocabulary)).find((fault) => fault !== undefined)
}

/** A filter that speaks of the record of the formula by bare names, and of the other record as a value at hand. */
export const turned = (ast: Node): Node =>
  rewritten(ast, (node) => {
    if (node.kind === 'name')
      return {
        kind: 'member',
        of: { ...node, kind: 'variable', name: OTHER },
        name: node.name,
        offset: node.offset,
      }
    const name = isOfSelf(node) ? memberName(node) : undefined
    return name === undefined ? undefined : { kind: 'name', name, offset: node.offset }
  })

const isOfSelf = (node: Node): boolean =>
  (node.kind === 'member' || node.kind === 'index') && node.of.kind === 'variable' && node.of.name === SELF

/** A part of a filter that says that a field of the other record is equal to something of the formula's own. */
export interface Equality {
  /** The field of the other record. */
  readonly field: string
  /** What it is equal to, by bare names of the formula's own record. */
  readonly own: Node
}

/** What a filter says in parts all of which have to hold. */
export interface FilterParts {
  readonly equalities: readonly Equality[]
  /** Those that speak of the other record alone. */
  readonly alone: readonly Node[]
}

/** Takes a filter apart. */
export function partsOf(ast: Node): FilterParts {
  const parts = conjuncts(ast)
  return {
    equalities: parts.flatMap(equalitiesIn),
    alone: parts.filter((node) => !readsSelf(node)),
  }
}

const conjuncts = (node: Node): readonly Node[] =>
  node.kind === 'binary' && node.operator === 'and'
    ? [...conjuncts(node.left), ...conjuncts(node.right)]
    : [node]

function equalitiesIn(node: Node): readonly Equality[] {
  if (node.kind !== 'binary' || node.operator !== '==') return []
  const { left, right } = node
  return [...equality(left, right), ...equality(right, left)]
}

const equality = (side: Node, other: Node): readonly Equality[] =>
  side.kind === 'name' && readsSelf(other) && !readsNames(other)
    ? [{ field: side.name, own: turned(other) }]
    : []

const readsSelf = (node: Node): boolean =>
  (node.kind === 'variable' && node.name === SELF) || children(node).some(readsSelf)

const readsNames = (node: Node): boolean => node.kind === 'name' || children(node).some(readsNames)
