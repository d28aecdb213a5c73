import type { Caller } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import {
  type Call,
  type Index,
  type Member,
  type Name,
  type Node,
  type Variable,
  visit,
  type Visitor,
} from '../syntax/ast.ts'
import { COMPILERS } from './binary.ts'
import type { Checked } from '../check/checked.ts'
import { type Compile, constant, type Evaluate, NULL } from './closure.ts'
import { accepts } from '../functions/function.ts'
import { GATHERINGS } from '../gathering.ts'
import { findFunction } from '../functions/functions.ts'
import { affordsAll, exceeded } from '../values/exceeded.ts'
import { timestamp } from '../values/instant.ts'
import { isCrossingName, memberName, resolve, type Root, rootOf, USER_MEMBERS } from '../names.ts'
import {
  fieldRouteOf,
  type Gathering,
  gatheringOf,
  type Route,
  routeOf,
  endOf,
  vocabularyInside,
} from '../route.ts'
import type { EvaluationContext, Neighbour, Neighbours, Vocabulary } from '../vocabulary.ts'
import { item, member, negate, not } from '../values/semantics.ts'

/** Compiles a tree, checked or not, to closures; what the vocabulary does not know is null. */
export function compileExpression(ast: Node, vocabulary: Vocabulary, kinds: Checked['kinds']): Evaluate {
  const compiler: Visitor<Evaluate> = {
    literal: ({ value }) => constant(value),
    list: ({ items }) => listOf(items, compile),
    name: (node) => reached(node, vocabulary) ?? named(node, vocabulary),
    variable: (node) => named(node, vocabulary),
    member: (node) => reached(node, vocabulary) ?? partOf(node, compile),
    index: (node) => reached(node, vocabulary) ?? partOf(node, compile),
    call(node) {
      if (vocabulary.others !== undefined && isCrossingName(node.name))
        return ({ crossed }) => crossed?.get(node) ?? null
      const gathering = gatheringOf(node, vocabulary)
      return gathering ? gather(gathering, vocabulary, kinds) : callOf(node, vocabulary, compile)
    },
    unary: ({ operator, of }) => unary(operator === '-' ? negate : not, compile(of)),
    binary: (node) => COMPILERS[node.operator](node, compile, (of) => kinds.get(of) ?? 'unknown'),
    conditional: ({ test, consequent, alternate }) =>
      choice(compile(test), compile(consequent), compile(alternate)),
  }
  const compile = (node: Node): Evaluate => visit(node, compiler)
  return compile(ast)
}

/** A related record, or a field of one; undefined where a node names neither. */
function reached(node: Node, vocabulary: Vocabulary): Evaluate | undefined {
  const whole = routeOf(node, vocabulary)
  if (whole) return (context) => one(whole, context)?.record ?? null
  const part = fieldRouteOf(node, vocabulary)
  if (part === undefined) return undefined
  const { route, field } = part
  return field === undefined ? NULL : (context) => own(one(route, context)?.record, field)
}

/** What a list function makes of related records. */
function gather(
  { name, route, each, field }: Gathering,
  vocabulary: Vocabulary,
  kinds: Checked['kinds'],
): Evaluate {
  const { evaluate } = GATHERINGS[name]
  if (field !== undefined)
    return (context) => evaluate(given(all(route, context).map(({ record }) => own(record, field))))
  if (each === undefined) return (context) => all(route, context).length
  const said = compileExpression(each, vocabularyInside(vocabulary, endOf(route)), kinds)
  return (context) => {
    const inside: Inside = { ...context, previous: undefined, previousNeighbours: undefined }
    const values: Value[] = []
    for (const { record, neighbours } of all(route, context)) {
      inside.record = record
      inside.neighbours = neighbours
      const value = said(inside)
      if (value !== null) values.push(value)
    }
    return evaluate(values)
  }
}

/** One context for all related records, which come one after the other. */
interface Inside extends Omit<EvaluationContext, 'record' | 'neighbours'> {
  record?: EvaluationContext['record']
  neighbours?: EvaluationContext['neighbours']
}

const given = (values: readonly Value[]): readonly Value[] => values.filter((value) => value !== null)

/** The record at the end of a way. */
function one(route: Route, context: EvaluationContext): Neighbour | null {
  const end = atEnd(route, context)
  return isOne(end) ? end : null
}

/** The records at the end of a way. */
function all(route: Route, context: EvaluationContext): readonly Neighbour[] {
  const end = atEnd(route, context)
  return isOne(end) ? NONE : end
}

type Ends = Neighbour | readonly Neighbour[]
const NONE: readonly Neighbour[] = Object.freeze([])

const isOne = (ends: Ends): ends is Neighbour => !Array.isArray(ends)

function atEnd({ root, steps }: Route, context: EvaluationContext): Ends {
  let from: Neighbours | undefined = root === 'record' ? context.neighbours : context.previousNeighbours
  let end: Ends = NONE
  for (const { name } of steps) {
    const next: Ends | null = from?.[name] ?? null
    if (next === null) return NONE
    end = next
    from = isOne(next) ? next.neighbours : undefined
  }
  return end
}

const unary =
  (operation: (value: Value) => Value, of: Evaluate): Evaluate =>
  (context) =>
    operation(of(context))

const choice =
  (test: Evaluate, consequent: Evaluate, alternate: Evaluate): Evaluate =>
  (context) =>
    test(context) === true ? consequent(context) : alternate(context)

/** The value of a literal or of a list of literals; undefined where a node is anything else. */
function constantOf(node: Node): Value | undefined {
  if (node.kind === 'literal') return node.value
  return node.kind === 'list' ? constantsOf(node.items) : undefined
}

function constantsOf(nodes: readonly Node[]): readonly Value[] | undefined {
  const values: Value[] = []
  for (const node of nodes) {
    const value = constantOf(node)
    if (value === undefined) return undefined
    values.push(value)
  }
  return Object.freeze(values)
}

function listOf(items: readonly Node[], compile: Compile): Evaluate {
  const values = constantsOf(items)
  if (values !== undefined) return constant(values)
  const evaluates = items.map(compile)
  return (context) => evaluates.map((evaluate) => evaluate(context))
}

function named(node: Name | Variable, vocabulary: Vocabulary): Evaluate {
  const meaning = meaningOf(node, vocabulary)
  if (node.kind === 'variable' || vocabulary.isOpen !== true) return meaning
  const { name } = node
  return (context) =>
    context.names && Object.hasOwn(context.names, name) ? own(context.names, name) : meaning(context)
}

function meaningOf(node: Name | Variable, vocabulary: Vocabulary): Evaluate {
  const { name } = node
  const meaning = resolve(node, vocabulary)
  switch (meaning?.of) {
    case undefined:
      return NULL
    case 'name':
      return ({ names }) => own(names, name)
    case 'root':
      return ROOTS[meaning.root]
    case 'now':
      return (context) => timestamp(context.now())
    case 'field':
      return ({ record }) => own(record, name)
    case 'parameter':
      return ({ parameters }) => own(parameters, name)
    case 'variable':
      return ({ variables }) => own(variables, name)
  }
}

const own = (values: Readonly<Record<string, Value>> | null | undefined, name: string): Value =>
  values !== null && values !== undefined && Object.hasOwn(values, name) ? (values[name] ?? null) : null

const ROOTS: Readonly<Record<Root, Evaluate>> = {
  record: ({ record }) => record ?? null,
  previous: ({ previous }) => previous ?? null,
  user: ({ user }) => (isThere(user) ? wholeUser(user) : null),
  op: ({ op }) => op ?? null,
}

const isThere = (user: Caller | undefined): user is Caller => user !== undefined && user.kind !== 'anonymous'

const wholeUser = (user: Caller): Value =>
  Object.fromEntries(Array.from(USER_MEMBERS, ([name, { read }]) => [name, read(user)]))

function partOf(node: Member | Index, compile: Compile): Evaluate {
  const name = memberName(node)
  if (name !== undefined) return memberOf(node.of, name, compile)
  const of = compile(node.of)
  const index = node.kind === 'index' ? compile(node.index) : NULL
  return (context) => item(of(context), index(context))
}

/** Nearly every path starts at the record or the user, which need no look at what kind of value they are. */
function memberOf(node: Node, name: string, compile: Compile): Evaluate {
  const root = rootOf(node)
  if (root === 'record') return ({ record }) => own(record, name)
  if (root === 'previous') return ({ previous }) => own(previous, name)
  const fact = root === 'user' ? USER_MEMBERS.get(name) : undefined
  if (fact !== undefined) return ({ user }) => (isThere(user) ? fact.read(user) : null)
  const of = compile(node)
  return (context) => member(of(context), name)
}

/** Arguments that are known now are read now. */
function callOf({ name, args }: Call, vocabulary: Vocabulary, compile: Compile): Evaluate {
  const called = findFunction(name, vocabulary)
  if (called === undefined || !accepts(called, args.length)) return NULL
  const values = constantsOf(args)
  if (values !== undefined) {
    const bound = called.bind(values)
    return bound === undefined ? NULL : (context) => bound(context, vocabulary)
  }
  const evaluates = args.map(compile)
  return (context) => {
    const given = evaluates.map((evaluate) => evaluate(context))
    return affordsAll(given) ? (called.bind(given)?.(context, vocabulary) ?? null) : exceeded()
  }
}
