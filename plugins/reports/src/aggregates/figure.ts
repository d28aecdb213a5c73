import type { Expression, Path, Site } from '@svc/domain/contract'
import {
  compileTree,
  didYouMean,
  errorAt,
  ExpressionError,
  type Fault,
  type Kind,
  type Known,
  type Node,
  parseExpression,
  rewritten,
  translate,
  untranslatable,
  type Vocabulary,
} from '@svc/expression/contract'
import { type Caller, nearest } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { type Filter, refuseSecrets } from '../door/readable.ts'
import type { Views } from '../views/view.ts'
import { type Counted, countedNames, countedOf } from './counted.ts'
import { columnsOf, compileFormula, type Formula } from './formula.ts'
import {
  type AggregateFunction,
  type CompiledMeasure,
  FUNCTIONS,
  kindOfMeasure,
  misfitOf,
} from './measure.ts'

/** An expression of aggregates, compiled. */
export interface Figure {
  readonly source: string
  readonly measures: readonly CompiledMeasure[]
  /** The kind of its value. */
  readonly kind: Kind
  /** Whether it is one aggregate and nothing else. */
  readonly isAlone: boolean
  /** Its value, of those of its measures. */
  evaluate(values: readonly Value[], context: FigureContext): Value
}

export interface FigureContext {
  readonly user: Caller
  readonly parameters?: Readonly<Record<string, Value>>
  now(): number
}

export interface FigurePlace {
  readonly site: Site
  readonly path: Path
  readonly views: Views
  readonly parameters: ReadonlyMap<string, Known>
}

/** A name that no text can write: what an aggregate has come to. */
const nameAt = (at: number): string => `~${at}`

/** Compiles an expression of aggregates, such as `sum(Invoice.gross, status == 'paid') / sum(Invoice.gross)`. */
export function compileFigure(source: string, place: FigurePlace): Figure | undefined {
  const { site, path, parameters } = place
  const measures: CompiledMeasure[] = []
  const made = site.compiled(source, path, { moment: 'read', parameters }, (text, vocabulary) => {
    const faults: Fault[] = []
    const tree = rewritten(parseExpression(text), (node) => {
      const found = aggregateIn(node, vocabulary)
      if (found === undefined) {
        faults.push(...nestedIn(node, vocabulary))
        return undefined
      }
      const measure = compileMeasure(text, found, place, faults)
      measures.push(measure ?? PLACEHOLDER)
      return { kind: 'name', name: nameAt(measures.length - 1), offset: node.offset }
    })
    if (faults.length > 0) throw new ExpressionError(faults)
    const names = measures.map((one, at) => [nameAt(at), kindOfMeasure(one)] as const)
    return compileTree(text, tree, { ...vocabulary, names: new Map(names) })
  })
  if (made === undefined || measures.includes(PLACEHOLDER)) return undefined
  return {
    source,
    measures,
    kind: made.kind,
    isAlone: made.ast.kind === 'name' && made.ast.name === nameAt(0),
    evaluate: (values, { user, parameters: given, now }) =>
      made.evaluate({
        user,
        now,
        ...(given && { parameters: given }),
        names: Object.fromEntries(values.map((value, at) => [nameAt(at), value])),
      }),
  }
}

/** Stands in for a measure that was reported as wrong. */
const PLACEHOLDER: CompiledMeasure = {
  // Nothing is asked of it.
  counted: undefined as unknown as Counted,
  fn: 'count',
  formula: undefined,
  condition: undefined,
}

interface Aggregate {
  readonly fn: AggregateFunction
  readonly offset: number
  /** What stands before the first point, and behind it. */
  readonly root: string
  readonly name: string | undefined
  readonly args: readonly Node[]
}

/** The aggregate that a call is; a function of the same name over a value at hand is none. */
function aggregateIn(node: Node, { parameters }: Vocabulary): Aggregate | undefined {
  if (node.kind !== 'call') return undefined
  const fn = FUNCTIONS.find((one) => one === node.name)
  const [first] = node.args
  const path = first && pathOf(first)
  if (fn === undefined || path === undefined) return undefined
  const [root = '', ...names] = path
  if (parameters?.has(root) || AT_HAND.has(root)) return undefined
  return {
    fn,
    offset: node.offset,
    root,
    name: names.length === 0 ? undefined : names.join('.'),
    args: node.args,
  }
}

const NESTED = ['an aggregate stands inside another', 'Write it beside that'] as const

/** What takes all values of a source, and nothing else but a list: `min` and `max` are also of two numbers. */
const OF_MANY: ReadonlySet<string> = new Set(['count', 'countDistinct', 'sum', 'avg'])

/** The aggregate in what another one is of, if that is no list. */
function nestedIn(node: Node, vocabulary: Vocabulary): readonly Fault[] {
  const [first] = node.kind === 'call' && OF_MANY.has(node.name) ? node.args : []
  if (first === undefined || someNode(first, ({ kind }) => kind === 'list')) return []
  const inner = someNode(first, (one) => aggregateIn(one, vocabulary) !== undefined)
  return inner === undefined ? [] : [errorAt(inner.offset, ...NESTED)]
}

const AT_HAND: ReadonlySet<string> = new Set(['user', 'op'])

function pathOf(node: Node): readonly string[] | undefined {
  if (node.kind === 'name') return [node.name]
  const before = node.kind === 'member' ? pathOf(node.of) : undefined
  return before && node.kind === 'member' ? [...before, node.name] : undefined
}

function compileMeasure(
  text: string,
  { fn, offset, root, name, args }: Aggregate,
  place: FigurePlace,
  faults: Fault[],
): CompiledMeasure | undefined {
  const { site, views } = place
  const fault = (message: string, hint?: string) => void faults.push(errorAt(offset, message, hint))
  const counted = countedOf(root, site, views)
  if (counted === undefined) {
    fault(
      `there is no resource or view '${root.slice(0, 60)}'`,
      didYouMean(nearest(root, countedNames(site, views))),
    )
    return undefined
  }
  if (args.length > 2) fault(`'${fn}' takes a source, and a condition besides`)
  if (fn !== 'count' && name === undefined)
    fault(`'${fn}' needs a field of '${root}'`, `Write ${fn}(${root}.<field>)`)
  const formula = name === undefined ? undefined : formulaIn(name, counted, place)
  if (formula) {
    const misfit = misfitOf(fn, formula)
    if (misfit) fault(misfit)
  }
  const condition = args[1] && conditionIn(text, args[1], counted, place, faults)
  if ((name !== undefined && formula === undefined) || (args[1] && condition === undefined)) return undefined
  return { counted, fn, formula, condition }
}

const formulaIn = (name: string, counted: Counted, { site, path }: FigurePlace): Formula | undefined =>
  compileFormula(name, counted, site, path)

/** A condition over the fields of the source, which the database has to be able to work out. */
function conditionIn(
  text: string,
  node: Node,
  { resource }: Counted,
  { site, path, parameters }: FigurePlace,
  faults: Fault[],
): Filter | undefined {
  const made = site.compiled(text, path, { resource, moment: 'read', parameters }, (_, vocabulary) => {
    const inner = someNode(
      node,
      (one) =>
        aggregateIn(one, { fields: vocabulary.fields, parameters: shadowed(vocabulary) }) !== undefined,
    )
    if (inner) {
      faults.push(errorAt(inner.offset, ...NESTED))
      return { expression: undefined, warnings: [] }
    }
    const expression = compileTree(text, node, vocabulary)
    const at = { vocabulary, columns: columnsOf(resource) }
    const shut = untranslatable(expression, at)
    if (shut)
      throw new ExpressionError([
        errorAt(shut.node.offset, `the database cannot work this out: ${shut.reason}`),
      ])
    return { expression: { ...expression, rows: translate(expression, at) }, warnings: expression.warnings }
  })
  const expression = made?.expression
  if (expression === undefined) return undefined
  refuseSecrets(expression, resource, path, site)
  return { ...expression, source: printed(text, expression) }
}

/** Names of the source's record come before those of sources. */
const shadowed = ({ fields, parameters, relations }: Vocabulary): ReadonlyMap<string, Known> =>
  new Map<string, Known>([
    ...[...(fields?.keys() ?? []), ...(relations?.keys() ?? [])].map((name) => [name, 'unknown'] as const),
    ['record', 'unknown'],
    ...(parameters ?? []),
  ])

/** What tells the condition from others of the same text. */
const printed = (text: string, { ast }: Pick<Expression, 'ast'>): string => `${ast.offset} ${text}`

function someNode(node: Node, meets: (node: Node) => boolean): Node | undefined {
  let found: Node | undefined
  rewritten(node, (one) => {
    if (found === undefined && meets(one)) found = one
    return undefined
  })
  return found
}
