import { isCrossingName, type Node, print, rewritten } from '@svc/expression/contract'
import { parsedIfSound } from '../model/parsed.ts'

type Call = Extract<Node, { readonly kind: 'call' }>

/** A field of a resource that gets another name. */
export interface Renaming {
  readonly resource: string
  readonly from: string
  readonly to: string
}

/** A formula of a resource with another name of a field, of its own or of another; as it is where it does not name that. */
export function withRenamed(source: string, of: string, renaming: Renaming): string {
  const ast = parsedIfSound(source)
  if (ast === undefined) return source
  const text = print(inFormula(ast, of, renaming))
  return text === print(ast) ? source : text
}

/** Whether a formula of a resource names a field, of its own or of another. */
export const namesField = (source: string, of: string, resource: string, name: string): boolean =>
  withRenamed(source, of, { resource, from: name, to: NOWHERE }) !== source

/** A name that no field has. */
const NOWHERE = '_'

const inFormula = (ast: Node, of: string, renaming: Renaming): Node =>
  rewritten(ast, (node) => {
    if (node.kind === 'call' && isCrossingName(node.name)) return inCrossing(node, of, renaming)
    return of === renaming.resource ? (bare(node, renaming) ?? ofRecord(node, renaming)) : undefined
  })

function bare(node: Node, { from, to }: Renaming): Node | undefined {
  return node.kind === 'name' && node.name === from ? { ...node, name: to } : undefined
}

/** `record.name`, and `$record.name` where a filter has that. */
function ofRecord(node: Node, { from, to }: Renaming): Node | undefined {
  if (node.kind !== 'member' || node.name !== from) return undefined
  const { of } = node
  const isRecord = (of.kind === 'name' || of.kind === 'variable') && of.name.toLowerCase() === 'record'
  return isRecord ? { ...node, name: to } : undefined
}

function inCrossing(call: Call, of: string, renaming: Renaming): Node {
  const [resource, second, third, fourth] = call.args
  const isThere = resource?.kind === 'literal' && resource.value === renaming.resource
  const named = (node: Node | undefined): readonly Node[] => {
    if (node === undefined) return []
    return isThere && node.kind === 'literal' && node.value === renaming.from
      ? [{ ...node, value: renaming.to }]
      : [node]
  }
  const head = resource === undefined ? [] : [resource]
  if (call.name === 'lookup') {
    const key = second === undefined ? [] : [inFormula(second, of, renaming)]
    return { ...call, args: [...head, ...key, ...named(third), ...call.args.slice(3)] }
  }
  const filter = fourth === undefined ? [] : [inFilter(fourth, isThere, of, renaming)]
  const fn = second === undefined ? [] : [second]
  return { ...call, args: [...head, ...fn, ...named(third), ...filter, ...call.args.slice(4)] }
}

/** A filter speaks of the other record by bare names, and of its own by `$record`. */
function inFilter(node: Node, isThere: boolean, of: string, renaming: Renaming): Node {
  if (node.kind !== 'literal' || typeof node.value !== 'string') return node
  const ast = parsedIfSound(node.value)
  if (ast === undefined) return node
  const other = rewritten(
    ast,
    (one) =>
      (isThere ? bare(one, renaming) : undefined) ??
      (of === renaming.resource ? ofRecord(one, renaming) : undefined),
  )
  const text = print(other)
  return text === print(ast) ? node : { ...node, value: text }
}
