import { type Column, type Condition, holds, SCALAR_TYPES } from '@svc/store/contract'
import {
  type Call,
  children,
  type Index,
  type Member,
  type Name,
  type Node,
  type Variable,
  visit,
  type Visitor,
} from '../syntax/ast.ts'
import { compileExpression } from '../evaluate/compile.ts'
import type { Expression } from '../expression.ts'
import { accepts } from '../functions/function.ts'
import { findFunction } from '../functions/functions.ts'
import { isTemporal } from '../values/kind.ts'
import { isCrossingName, memberName, resolve, rootOf } from '../names.ts'
import {
  endOf,
  fieldRouteOf,
  type Gathering,
  gatheringOf,
  type Route,
  routeOf,
  vocabularyInside,
} from '../route.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { ofForm } from './call.ts'
import { choice } from './choice.ts'
import { SQL_FUNCTIONS } from './functions.ts'
import { SQL_OPERATORS } from './operators.ts'
import { alongRoute, gathered, presence } from './reach.ts'
import {
  as,
  type BindingContext,
  call,
  columnOf,
  computed,
  constant,
  not,
  NULL,
  type Part,
  single,
  type Term,
  type Translation,
  Untranslatable,
} from './term.ts'

/** What a translation knows of the place where an expression stands. */
export interface SqlPlace {
  readonly vocabulary: Vocabulary
  /** The columns of the record's fields, by the field's name; a field without one is worked out on every read. */
  readonly columns: ReadonlyMap<string, Column>
}

/** An expression with its tree and the kinds of its nodes. */
export type Translatable = Pick<Expression, 'ast' | 'kinds'>

/** The rows for which an expression holds for one caller at one time. What reads no record is worked out here. */
export type BindRows = (context: BindingContext) => Condition

/** Translates a condition, once; binding it to a caller costs a walk over its tree. Throws Untranslatable. */
export function translate({ ast, kinds }: Translatable, place: SqlPlace): BindRows {
  const part = new Translator(kinds, place).part(ast)
  const { type } = part
  if (type === 'json' || type === 'list') single(part)
  return (context) => {
    const term = part.bind(context)
    const scalar = as(term, 'boolean')
    return scalar === undefined ? { op: 'never' } : holds(scalar)
  }
}

/** What an expression is worth for one caller at one time: a value already, or what the store works out for each row. */
export type BindValue = (context: BindingContext) => Term

/** Translates an expression of any type, as `translate` does a condition; undefined where SQL cannot say it. */
export function translateValue({ ast, kinds }: Translatable, place: SqlPlace): BindValue | undefined {
  try {
    const part = single(new Translator(kinds, place).part(ast))
    return (context) => part.bind(context)
  } catch (error) {
    if (error instanceof Untranslatable) return undefined
    throw error
  }
}

/** The first part that SQL cannot say, and why; undefined where the whole expression can become rows of a query. */
export function untranslatable(
  expression: Translatable,
  place: SqlPlace,
): { readonly node: Node; readonly reason: string } | undefined {
  try {
    translate(expression, place)
    return undefined
  } catch (error) {
    if (error instanceof Untranslatable) return error
    throw error
  }
}

class Translator {
  readonly #kinds: Expression['kinds']
  readonly #place: SqlPlace
  readonly #reads = new Map<Node, boolean>()
  readonly #visitor: Visitor<Translation>

  constructor(kinds: Expression['kinds'], place: SqlPlace) {
    this.#kinds = kinds
    this.#place = place
    const part = (node: Node): Part => this.part(node)
    this.#visitor = {
      literal: ({ value }) => ({ type: undefined, bind: () => constant(value) }),
      list: ({ items }) => ({ type: 'list', items: items.map(part), bind: () => NULL }),
      name: (node) => this.#reached(node) ?? this.#named(node),
      variable: (node) => this.#named(node),
      member: (node) => this.#reached(node) ?? this.#member(node),
      index: (node) => this.#reached(node) ?? this.#member(node),
      call: (node) => this.#call(node),
      unary: ({ operator, of }) => (operator === '-' ? negated(part(of)) : opposite(part(of))),
      binary: (node) => SQL_OPERATORS[node.operator](node, part(node.left), part(node.right)),
      conditional: ({ test, consequent, alternate }) => choice(part(test), part(consequent), part(alternate)),
    }
  }

  /** What reads no record becomes a closure, what reads it becomes a scalar. */
  part(node: Node): Part {
    const kind = this.#kinds.get(node) ?? 'unknown'
    if (this.#readsRecord(node)) return { ...visit(node, this.#visitor), node, kind }
    const evaluate = compileExpression(node, this.#place.vocabulary, this.#kinds)
    const form = isTemporal(kind) ? kind : undefined
    return { node, kind, type: undefined, form, bind: (context) => constant(evaluate(context)) }
  }

  #readsRecord(node: Node): boolean {
    const known = this.#reads.get(node)
    if (known !== undefined) return known
    const reads =
      this.#reaches(node) ||
      this.#crosses(node) ||
      this.#isRecordItself(node) ||
      children(node).some((child) => this.#readsRecord(child))
    this.#reads.set(node, reads)
    return reads
  }

  /** Whether a node names related records; what is said of each of them speaks of another record. */
  #reaches(node: Node): boolean {
    const { vocabulary } = this.#place
    if (vocabulary.relations === undefined) return false
    return routeOf(node, vocabulary) !== undefined || gatheringOf(node, vocabulary) !== undefined
  }

  #crosses(node: Node): boolean {
    return this.#place.vocabulary.others !== undefined && node.kind === 'call' && isCrossingName(node.name)
  }

  #isRecordItself(node: Node): boolean {
    const { vocabulary } = this.#place
    if (node.kind === 'call') return findFunction(node.name, vocabulary)?.reads.includes('record') === true
    if (rootOf(node) === 'record') return true
    return node.kind === 'name' && resolve(node, vocabulary)?.of === 'field'
  }

  /** A related record, or a field of one. */
  #reached(node: Name | Member | Index): Translation | undefined {
    const { vocabulary } = this.#place
    const whole = routeOf(node, vocabulary)
    if (whole) return presence(whole, node)
    const part = fieldRouteOf(node, vocabulary)
    if (part === undefined) return undefined
    const { route, field } = part
    return field === undefined
      ? NOTHING
      : alongRoute(
          route,
          this.#inside(route, (one) => one.#field(field, node)),
          node,
        )
  }

  #gathered(node: Call, gathering: Gathering): Translation {
    const { route, each, field } = gathering
    const part = this.#inside(route, (one) =>
      each ? one.part(each) : field === undefined ? undefined : one.#fieldPart(field, node),
    )
    return gathered(gathering, part, node)
  }

  /** Translates with the names of the record that a relation leads to. */
  #inside<T>(route: Route, translate: (inside: Translator) => T): T {
    const end = endOf(route)
    const { columns } = end.join
    return translate(
      new Translator(this.#kinds, { vocabulary: vocabularyInside(this.#place.vocabulary, end), columns }),
    )
  }

  #fieldPart(name: string, node: Node): Part {
    return { ...this.#field(name, node), node, kind: this.#place.vocabulary.fields?.get(name) ?? 'unknown' }
  }

  #named(node: Name | Variable): Translation {
    // The record as a whole: all that can be asked is whether it is there.
    if (rootOf(node) === 'record') return { type: undefined, bind: () => THERE }
    return this.#field(node.name, node)
  }

  #field(name: string, node: Node): Translation {
    const column = this.#place.columns.get(name)
    if (column !== undefined) return columnPart(column)
    if (this.#place.vocabulary.fields?.has(name) !== true) return { type: undefined, bind: () => NULL }
    throw new Untranslatable(node, `'${name}' is worked out on every read and is not stored`)
  }

  #member(node: Member | Index): Translation {
    const name = memberName(node)
    if (rootOf(node.of) === 'record') return name === undefined ? NOTHING : this.#field(name, node)
    const of = single(this.part(node.of))
    if (of.type === undefined) {
      throw new Untranslatable(node, 'which part is taken depends on the record, which SQL cannot look up')
    }
    if (node.kind === 'member' || name !== undefined) return NOTHING
    const index = single(this.part(node.index))
    return {
      type: 'text',
      bind: (context) => call('character', as(of.bind(context), 'text'), as(index.bind(context), 'number')),
    }
  }

  #call(node: Call): Translation {
    const { vocabulary } = this.#place
    if (this.#crosses(node))
      throw new Untranslatable(node, 'what it finds in other records is no part of the row')
    const gathering = gatheringOf(node, vocabulary)
    if (gathering) return this.#gathered(node, gathering)
    const called = findFunction(node.name, vocabulary)
    if (called === undefined || !accepts(called, node.args.length)) return NOTHING
    const translated =
      SQL_FUNCTIONS.get(node.name) ??
      (called.sql && ofForm(called.sql, called.takes)) ??
      'this function is of a plugin, and the database does not have it'
    const args = node.args.map((arg) => this.part(arg))
    if (typeof translated === 'string') throw new Untranslatable(node, translated)
    return translated({ node, args, vocabulary, field: (name) => this.#field(name, node) })
  }
}

const THERE = constant({ record: true })
const NOTHING: Translation = { type: undefined, bind: () => NULL }

/** Of a column that keeps its values sealed nothing is known but whether it is null, as of one of JSON. */
function columnPart(column: Column): Translation {
  const { kind } = column
  const type = column.codec === undefined ? SCALAR_TYPES[kind] : undefined
  const term = computed(columnOf(column), type ?? 'text')
  const form = kind === 'date' || kind === 'datetime' ? kind : undefined
  return { type: type ?? 'json', form, whole: kind === 'integer', bind: () => term }
}

function negated(of: Part): Translation {
  const { type, whole, bind } = single(of)
  return {
    type: 'number',
    whole: whole === true && type === 'number',
    bind: (context) => call('negate', as(bind(context), 'number')),
  }
}

function opposite(of: Part): Translation {
  const { bind } = single(of)
  return { type: 'boolean', bind: (context) => not(bind(context)) }
}
