import type { Caller } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import type { Name, Node, Variable } from './syntax/ast.ts'
import { isName } from './syntax/parse.ts'
import type { Kind, Known } from './values/kind.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Names with a meaning of their own; a field of such a name is reached as `record.user`. */
export const ROOTS = ['record', 'previous', 'user', 'op'] as const
export type Root = (typeof ROOTS)[number]

/** Whether a root is a record, whose fields have to be named. */
export const isRecordRoot = (root: Root): boolean => root === 'record' || root === 'previous'

/** What a name stands for. */
export type Meaning =
  | { readonly of: 'root'; readonly root: Root }
  | { readonly of: 'now' }
  | { readonly of: 'name' | 'field' | 'parameter' | 'variable'; readonly known: Known }

const ROOT_NAMES: ReadonlyMap<string, Meaning> = new Map(ROOTS.map((root) => [root, { of: 'root', root }]))
const NOW: Meaning = { of: 'now' }

/** Finds what a name means; undefined where nothing has this name. The vocabulary's say on roots is left to the check. */
export function resolve(node: Name | Variable, vocabulary: Vocabulary): Meaning | undefined {
  return (
    ROOT_NAMES.get(node.name) ??
    (node.kind === 'name' ? bare(node.name, vocabulary) : variable(node.name, vocabulary))
  )
}

/** The root that a node names, if it is a name of one. */
export function rootOf(node: Node): Root | undefined {
  if (node.kind !== 'name' && node.kind !== 'variable') return undefined
  const meaning = ROOT_NAMES.get(node.name)
  return meaning?.of === 'root' ? meaning.root : undefined
}

/** Whether a field of this name is meant where the bare word stands; any other is reached as `record.user`. */
export const isBareName = (name: string): boolean => isName(name) && !ROOT_NAMES.has(name)

/** Whether the place has something under this root. */
export const isOffered = (root: Root, { fields, previous, caller, isRelated }: Vocabulary): boolean =>
  ({ record: fields !== undefined && isRelated !== true, previous, user: caller, op: caller })[root] === true

/** What could stand in place of an unknown name, as it would be written. */
export function knownNames(
  kind: (Name | Variable)['kind'],
  { names, fields, relations, parameters, variables }: Vocabulary,
): string[] {
  if (kind === 'name')
    return [...ROOTS, ...[names, fields, relations, parameters].flatMap((one) => [...(one?.keys() ?? [])])]
  return [...ROOTS, 'now', ...(variables?.keys() ?? [])].map((name) => `$${name}`)
}

/** The name that a node takes from what stands before it: `.name`, or `['name']`. */
export function memberName(node: Node): string | undefined {
  if (node.kind === 'member') return node.name
  if (node.kind !== 'index' || node.index.kind !== 'literal') return undefined
  return typeof node.index.value === 'string' ? node.index.value : undefined
}

function bare(name: string, { names, fields, parameters }: Vocabulary): Meaning | undefined {
  const first = names?.get(name)
  if (first !== undefined) return { of: 'name', known: first }
  const field = fields?.get(name)
  if (field !== undefined) return { of: 'field', known: field }
  const parameter = parameters?.get(name)
  return parameter === undefined ? undefined : { of: 'parameter', known: parameter }
}

function variable(name: string, { variables }: Vocabulary): Meaning | undefined {
  if (name === 'now') return NOW
  const known = variables?.get(name)
  return known === undefined ? undefined : { of: 'variable', known }
}

/** A fact of the caller, as expressions see it. */
export interface UserMember {
  readonly kind: Kind
  read(user: Caller): Value
}

/** What stands after `user.`. */
export const USER_MEMBERS: ReadonlyMap<string, UserMember> = new Map<string, UserMember>([
  ['id', { kind: 'text', read: ({ id }) => id }],
  ['username', { kind: 'text', read: ({ username }) => username }],
  ['name', { kind: 'text', read: ({ username }) => username }],
  ['email', { kind: 'text', read: ({ email }) => email }],
  ['role', { kind: 'text', read: ({ roles }) => roles[0] ?? null }],
  ['roles', { kind: 'list', read: ({ roles }) => roles }],
  ['claims', { kind: 'object', read: ({ claims }) => (isJson(claims) ? claims : null) }],
])

/** Claims come out of a token's JSON, so that looking at the outermost value is enough. */
const isJson = (value: unknown): value is Value => typeof value === 'object'

/** Whether a call of this name looks into other records where a place offers that. */
export const isCrossingName = (name: string): boolean => name === 'lookup' || name === 'aggregate'
