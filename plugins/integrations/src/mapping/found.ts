import type { Access, Expression, Model, Resource } from '@svc/domain/contract'
import { children, type Node } from '@svc/expression/contract'

/** What expressions look for in other records: fields by the resources that they belong to. */
export type Found = ReadonlyMap<Resource, ReadonlySet<string>>

/** What an expression looks for: the fields that records are found by, and those that are taken of them, all where it does not say. */
export function foundBy({ ast }: Expression, model: Model): Found {
  const found = new Map<Resource, Set<string>>()
  const walk = (node: Node, taken: string | undefined) => {
    if (node.kind === 'call' && isFind(node)) note(node, taken, model, found)
    if (node.kind === 'member') return walk(node.of, node.name)
    if (node.kind === 'index') {
      walk(node.of, taken)
      return walk(node.index, undefined)
    }
    for (const child of children(node)) walk(child, undefined)
  }
  walk(ast, undefined)
  return found
}

type Call = Extract<Node, { readonly kind: 'call' }>

const isFind = ({ name }: Call): boolean => name === 'findOne' || name === 'findMany'

function note(
  { args: [named, ...pairs] }: Call,
  taken: string | undefined,
  { resources }: Model,
  found: Map<Resource, Set<string>>,
): void {
  const resource = named?.kind === 'literal' ? resources.get(String(named.value)) : undefined
  if (resource === undefined) return
  const names = found.get(resource) ?? new Set()
  found.set(resource, names)
  for (const name of taken === undefined ? resource.fields.keys() : [taken]) names.add(name)
  for (const [at, one] of pairs.entries())
    if (at % 2 === 0 && one.kind === 'literal') names.add(String(one.value))
}

/** Whether a caller may list all that an expression looks for. */
export const mayFind = (
  expression: Expression,
  model: Model,
  accessOf: (resource: Resource) => Access,
): boolean =>
  [...foundBy(expression, model)].every(([resource, names]) =>
    accessOf(resource).listsAll([...names].filter((name) => resource.fields.has(name))),
  )
