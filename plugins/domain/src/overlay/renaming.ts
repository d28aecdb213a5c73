import {
  errorAt,
  ExpressionError,
  isBareName,
  isCrossingName,
  memberName,
  type Node,
  parseExpression,
  print,
  rewritten,
  rootOf,
} from '@svc/expression/contract'
import { parsedIfSound } from '../model/parsed.ts'

type Call = Extract<Node, { readonly kind: 'call' }>

/** A field of a resource that gets another name. */
export interface Renaming {
  readonly resource: string
  readonly from: string
  readonly to: string
}

/**
 * A formula of a resource with another name of a field, of its own or of another; as it is where it does not name that. Throws
 * ExpressionError where no formula says the same with that name.
 */
export function withRenamed(source: string, of: string, renaming: Renaming): string {
  const ast = parsedIfSound(source)
  if (ast === undefined) return source
  const renamed = inFormula(ast, of, renaming)
  if (isSame(renamed, ast)) return source
  const text = print(renamed)
  if (isSame(parseExpression(text), renamed)) return text
  throw unsayable(renamed, renaming)
}

/** Whether a formula of a resource names a field, of its own or of another. */
export function namesField(source: string, of: string, resource: string, name: string): boolean {
  const ast = parsedIfSound(source)
  return ast !== undefined && !isSame(inFormula(ast, of, { resource, from: name, to: NOWHERE }), ast)
}

/** A name that no field has. */
const NOWHERE = '_'

/** Whether two trees say the same, wherever that stands. */
const isSame = (one: Node, other: Node): boolean => placeless(one) === placeless(other)

const placeless = (node: Node): string =>
  JSON.stringify(node, (key, value: unknown) => (key === 'offset' ? undefined : value))

const unsayable = ({ offset }: Node, { to }: Renaming): ExpressionError =>
  new ExpressionError([errorAt(offset, `nothing there can be called '${to}'`)])

const inFormula = (ast: Node, of: string, renaming: Renaming): Node =>
  rewritten(ast, (node) => {
    if (node.kind === 'call' && isCrossingName(node.name)) return inCrossing(node, of, renaming)
    return of === renaming.resource ? inOwn(node, renaming) : undefined
  })

/** What names a field of the formula's own record: `name`, `record.name`, `record['name']`, `field('name')`. */
const inOwn = (node: Node, renaming: Renaming): Node | undefined =>
  ofRecord(node, renaming) ?? asked(node, renaming) ?? bare(node, renaming)

function bare(node: Node, { from, to }: Renaming): Node | undefined {
  if (!isBare(node, from)) return undefined
  const { offset } = node
  return isBareName(to)
    ? { kind: 'name', name: to, offset }
    : { kind: 'member', of: { kind: 'name', name: 'record', offset }, name: to, offset }
}

const isBare = (node: Node, name: string): boolean =>
  node.kind === 'name' && node.name === name && isBareName(name)

/** `record.name` and `record['name']`, and with `$record` where a filter has that. */
function ofRecord(node: Node, renaming: Renaming): Node | undefined {
  if (node.kind !== 'member' && node.kind !== 'index') return undefined
  if (rootOf(node.of) !== 'record' || memberName(node) !== renaming.from) return undefined
  return node.kind === 'member'
    ? { ...node, name: renaming.to }
    : { ...node, index: written(node.index, renaming) ?? node.index }
}

/** The functions to which a field of the record is named as a text. */
const ASKING: ReadonlySet<string> = new Set(['field', 'hasField'])

function asked(node: Node, renaming: Renaming): Node | undefined {
  if (node.kind !== 'call' || !ASKING.has(node.name)) return undefined
  const [name] = node.args
  const renamed = name && written(name, renaming)
  return renamed && { ...node, args: [renamed, ...node.args.slice(1)] }
}

/** A name that stands in quotes. */
const written = (node: Node, { from, to }: Renaming): Node | undefined =>
  node.kind === 'literal' && node.value === from ? { ...node, value: to } : undefined

function inCrossing(call: Call, of: string, renaming: Renaming): Node {
  const [resource, second, third, fourth] = call.args
  const isThere = resource?.kind === 'literal' && resource.value === renaming.resource
  const named = (node: Node | undefined): readonly Node[] => {
    if (node === undefined) return []
    return [(isThere ? written(node, renaming) : undefined) ?? node]
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

/** A filter speaks of the other record by bare names alone, and of its own by `$record`. */
function inFilter(node: Node, isThere: boolean, of: string, renaming: Renaming): Node {
  if (node.kind !== 'literal' || typeof node.value !== 'string') return node
  const ast = parsedIfSound(node.value)
  if (ast === undefined) return node
  const other = rewritten(ast, (one) => {
    if (isThere && isBare(one, renaming.from) && !isBareName(renaming.to)) throw unsayable(node, renaming)
    return (
      (isThere ? bare(one, renaming) : undefined) ??
      (of === renaming.resource ? ofRecord(one, renaming) : undefined)
    )
  })
  return isSame(other, ast) ? node : { ...node, value: print(other) }
}
