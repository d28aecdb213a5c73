import { nearest } from '@svc/kernel'
import type { Call, Node } from '../syntax/ast.ts'
import type { Checked } from '../check/checked.ts'
import type { Filter, FoundCrossing } from './crossing.ts'
import { aggregateFault, aggregateGives, type CrossingCall, crossingsFault, readCrossing } from './call.ts'
import { filterFault, filterVocabulary, OWN, withSelf } from './filter.ts'
import { didYouMean, errorAt, ExpressionError, type Fault, warningAt } from '../fault.ts'
import { type Kind, kindOf } from '../values/kind.ts'
import { parseExpression } from '../syntax/parse.ts'
import type { Other, Others, Vocabulary } from '../vocabulary.ts'

/** The check of an expression in which a call stands that looks into other records. */
interface Checking {
  readonly others: Others
  /** The fields of the formula's own record. */
  readonly own: Vocabulary['fields']
  /** Where what is found goes. */
  readonly found: {
    readonly kinds: Map<Node, Kind>
    readonly faults: Fault[]
    readonly crossings: FoundCrossing[]
  }
  kindOf(node: Node): Kind
  /** Takes note of a field of the own record that is read. */
  read(name: string): void
  /** Checks an expression of its own. */
  check(ast: Node, vocabulary: Vocabulary): Checked
}

/** Finds what a call asks of records of any resource, and what is wrong with it; answers the kind of its value. */
export function checkCrossing(node: Call, checking: Checking): Kind {
  const { kinds, faults, crossings } = checking.found
  const asked = readCrossing(node)
  const key = 'asks' in asked && asked.asks.kind === 'lookup' ? asked.asks.key : undefined
  for (const arg of node.args)
    if (arg === key) checking.kindOf(arg)
    else kinds.set(arg, arg.kind === 'literal' ? kindOf(arg.value) : 'unknown')
  const most = crossingsFault(node.offset, crossings.length + 1)
  if (most) faults.push(most)
  const known = 'asks' in asked ? fieldOf(asked, checking.others) : asked
  if (!('asks' in asked) || !('kind' in known)) return refuse(known, faults)
  const { resource, field, asks } = asked
  const { kind, other } = known
  const found = { call: node, resource: resource.value, field: field.value }
  if (asks.kind === 'lookup') {
    crossings.push({ ...found, asks, reads: new Set([field.value]) })
    return kind
  }
  const { fn } = asks
  const misfit = aggregateFault(fn, kind, field.offset)
  if (misfit) return refuse(misfit, faults)
  const filter = asks.filter && checkFilter(asks.filter, other, checking)
  const reads = new Set([field.value, ...(filter?.reads ?? [])])
  crossings.push({ ...found, asks: { kind: 'aggregate', fn, filter: filter?.filter }, reads })
  return aggregateGives(fn, kind)
}

function refuse(fault: Fault | Looked, faults: Fault[]): Kind {
  if ('severity' in fault) faults.push(fault)
  return 'unknown'
}

interface Looked {
  readonly kind: Kind
  readonly other: Other
}

/** The field that a call takes, or what is wrong with it. */
function fieldOf({ resource, field }: CrossingCall, others: Others): Looked | Fault {
  const other = others.of(resource.value)
  if (other === undefined)
    return errorAt(
      resource.offset,
      `there is no resource '${resource.value}' to look into`,
      didYouMean(nearest(resource.value, others.names)),
    )
  const kind = other.fields.get(field.value)
  if (kind === undefined)
    return errorAt(
      field.offset,
      `'${resource.value}' has no stored field '${field.value}'`,
      didYouMean(nearest(field.value, other.fields.keys())),
    )
  return { kind, other }
}

type FilterText = NonNullable<Extract<CrossingCall['asks'], { readonly kind: 'aggregate' }>['filter']>

interface FoundFilter {
  readonly filter: Filter
  /** The fields of the other records that it reads. */
  readonly reads: ReadonlySet<string>
}

/** Which records count, as a text says it that is an expression of its own. */
function checkFilter(
  { value, offset }: FilterText,
  other: Other,
  { own, found, read, check }: Checking,
): FoundFilter | undefined {
  const tell = ({ severity, message, hint }: Pick<Fault, 'severity' | 'message' | 'hint'>) =>
    found.faults.push((severity === 'error' ? errorAt : warningAt)(offset, `in the filter: ${message}`, hint))
  const ast = parsed(value)
  if (ast instanceof ExpressionError) {
    for (const fault of ast.faults) tell(fault)
    return undefined
  }
  const vocabulary = filterVocabulary(other, own)
  const { faults, kinds, members, fields } = check(ast, vocabulary)
  for (const fault of faults) tell(fault)
  const kind = kinds.get(ast) ?? 'unknown'
  if (kind !== 'boolean' && kind !== 'unknown')
    tell({ severity: 'error', message: `this gives ${kind}, and a filter is a condition` })
  const fault = filterFault(ast, vocabulary)
  if (fault) tell(fault)
  const names = members.get(OWN) ?? new Set<string>()
  for (const name of names) read(name)
  return { filter: { ast, kinds, vocabulary, own: names }, reads: fields }
}

function parsed(source: string): Node | ExpressionError {
  try {
    return withSelf(parseExpression(source))
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return error
  }
}
