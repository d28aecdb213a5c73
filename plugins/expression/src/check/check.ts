import { nearest } from '@svc/kernel'
import {
  type Binary,
  type Call,
  type Conditional,
  type Index,
  type List,
  type Literal,
  type Member,
  type Name,
  type Node,
  type Unary,
  type Variable,
  visit,
  type Visitor,
} from '../syntax/ast.ts'
import type { FoundCrossing } from '../crossing/crossing.ts'
import { checkCrossing } from '../crossing/check.ts'
import { didYouMean, errorAt, type Fault, warningAt } from '../fault.ts'
import { accepts, arityOf, type ExpressionFunction } from '../functions/function.ts'
import { findFunction, functionNames } from '../functions/functions.ts'
import { choiceFaults } from './choices.ts'
import { Insides } from './insides.ts'
import { meantBy } from './meant.ts'
import { misfit, misfitValue } from '../functions/parameter.ts'
import { commonKind, type Kind, kindOf, type Shape } from '../values/kind.ts'
import { gatheringFault, gatheringGives, gatheringWants } from '../gathering.ts'
import {
  isCrossingName,
  isOffered,
  isRecordRoot,
  memberName,
  resolve,
  type Root,
  rootOf,
  USER_MEMBERS,
} from '../names.ts'
import { kindOfBinary, operandFaults } from './operands.ts'
import type { Checked, Place, Reaching, Scope } from './checked.ts'
import { lengthFault, listFault, termsFault, wholeFault } from './route-fault.ts'
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

/** Finds everything that an expression names, and what is wrong with it in this place. */
export function checkExpression(ast: Node, vocabulary: Vocabulary): Checked {
  const checker = new Checker(vocabulary)
  checker.kindOf(ast)
  checker.shape = checker.shapeOf(ast)
  return checker
}

class Checker implements Checked, Visitor<Kind> {
  shape: Shape | undefined
  readonly faults: Fault[] = []
  readonly fields = new Set<string>()
  readonly previousFields = new Set<string>()
  readonly reach = new Map<string, Reaching>()
  readonly previousReach = new Map<string, Reaching>()
  readonly crossings: FoundCrossing[] = []
  readonly kinds = new Map<Node, Kind>()
  #scope: Scope
  #terms = 0
  readonly #insides = new Insides(this.faults)
  readonly members = this.#insides.members
  readonly origins = this.#insides.origins
  /** Nodes whose being null is asked for, not what they hold: a whole record may stand there and nowhere else. */
  readonly #presence = new Set<Node>()

  constructor(vocabulary: Vocabulary) {
    const { fields, reach, previousReach } = this
    this.#scope = { vocabulary, fields, reach, previousReach, steps: 0 }
  }

  get #vocabulary(): Vocabulary {
    return this.#scope.vocabulary
  }

  kindOf(node: Node): Kind {
    const kind = visit(node, this)
    this.kinds.set(node, kind)
    return kind
  }

  shapeOf(node: Node): Shape | undefined {
    return this.#insides.of(node)
  }

  literal({ value }: Literal): Kind {
    return kindOf(value)
  }

  list({ items }: List): Kind {
    for (const item of items) this.kindOf(item)
    return 'list'
  }

  name(node: Name): Kind {
    return this.#named(node, node.name)
  }

  variable(node: Variable): Kind {
    return this.#named(node, `$${node.name}`)
  }

  member(node: Member): Kind {
    return this.#part(node)
  }

  index(node: Index): Kind {
    const kind = this.kindOf(node.index)
    if (kind !== 'number' && kind !== 'text' && kind !== 'unknown') {
      this.#warn(node.index.offset, `'[…]' takes a number or a name, not ${kind}`)
    }
    return this.#part(node)
  }

  unary({ operator, of, offset }: Unary): Kind {
    const [wanted, word] =
      operator === '-' ? (['number', 'a number'] as const) : (['boolean', 'a condition'] as const)
    this.#expectKind(of, wanted, offset, `'${operator}' wants ${word}`)
    return wanted
  }

  conditional({ test, consequent, alternate, offset }: Conditional): Kind {
    this.#expectKind(test, 'boolean', offset, "'?' wants a condition before it")
    return commonKind([this.kindOf(consequent), this.kindOf(alternate)])
  }

  binary(node: Binary): Kind {
    const { operator, left, right } = node
    if (operator === '==' || operator === '!=') {
      if (isNull(right)) this.#presence.add(left)
      if (isNull(left)) this.#presence.add(right)
    }
    const kinds = [this.kindOf(left), this.kindOf(right)] as const
    this.faults.push(...operandFaults(node, ...kinds), ...choiceFaults(node, this.#vocabulary))
    return kindOfBinary(node, ...kinds)
  }

  call(node: Call): Kind {
    const { others, fields } = this.#vocabulary
    if (others !== undefined && isCrossingName(node.name))
      return checkCrossing(node, {
        others,
        own: fields,
        found: this,
        kindOf: (part) => this.kindOf(part),
        read: (name) => this.#scope.fields.add(name),
        check: checkExpression,
      })
    const gathering = gatheringOf(node, this.#vocabulary)
    return gathering ? this.#gathering(node, gathering) : this.#called(node)
  }

  #called(node: Call): Kind {
    const found = findFunction(node.name, this.#vocabulary)
    if (node.name === 'isNull' || node.name === 'isEmpty')
      for (const arg of node.args) this.#presence.add(arg)
    const kinds = node.args.map((arg) => this.kindOf(arg))
    if (found === undefined) {
      const hint = isCrossingName(node.name)
        ? 'stored formulas of a sheet with computedFields.crossRecord have it'
        : didYouMean(nearest(node.name, functionNames(this.#vocabulary)))
      return this.#error(node.offset, `there is no function '${node.name}'`, hint)
    }
    this.#reads(node, found)
    if (!accepts(found, kinds.length)) {
      return this.#error(node.offset, `'${node.name}' takes ${arityOf(found)}, not ${kinds.length}`)
    }
    this.#arguments(node, found, kinds)
    const { fields = [], faults = [] } = found.inspect(node, this.#vocabulary)
    for (const field of fields) this.#scope.fields.add(field)
    this.faults.push(...faults)
    return found.gives(kinds)
  }

  /** What a list function makes of related records; its argument speaks of each of them. */
  #gathering(node: Call, gathering: Gathering): Kind {
    const { name, route, each, field } = gathering
    const [list] = node.args
    const fault = list && gatheringFault(node, gathering)
    const at = this.#go(node, route)
    if (list) this.kinds.set(list, 'list')
    if (this.#fault(fault) || at === undefined) return 'unknown'
    const kind =
      field === undefined
        ? each && this.#inside(at, each)
        : this.#fieldAt(at.reaching, route, field, list ?? node)
    const wants = kind === undefined ? undefined : gatheringWants(name, kind)
    if (wants !== undefined) return this.#error(each?.offset ?? node.offset, wants)
    return gatheringGives(name, kind)
  }

  #inside({ reaching, steps }: Place, each: Node): Kind {
    const outer = this.#scope
    const vocabulary = vocabularyInside(outer.vocabulary, reaching.relation)
    this.#scope = {
      vocabulary,
      fields: reaching.fields,
      reach: reaching.reach,
      previousReach: new Map(),
      steps,
    }
    const kind = this.kindOf(each)
    this.#scope = outer
    return kind
  }

  /** Goes a way, and takes note of all that is read on it; undefined where it is too long. */
  #go(node: Node, { root, steps }: Route): Place | undefined {
    const length = this.#scope.steps + steps.length
    const tooLong = lengthFault(node.offset, length)
    this.#fault(termsFault(node.offset, ++this.#terms))
    if (this.#fault(tooLong)) return undefined
    const [first] = steps
    if (root === 'previous' && first) this.previousFields.add(first.near)
    let reach = root === 'record' ? this.#scope.reach : this.#scope.previousReach
    let { fields } = this.#scope
    let reaching: Reaching | undefined
    for (const relation of steps) {
      fields.add(relation.near)
      reaching = reach.get(relation.name) ?? { relation, fields: new Set(), reach: new Map() }
      reach.set(relation.name, reaching)
      ;({ fields, reach } = reaching)
    }
    return reaching && { reaching, steps: length }
  }

  /** A related record where it stands for itself: all that can be asked is whether it is there. */
  #whole(node: Node, route: Route): Kind {
    if (this.#fault(listFault(node.offset, route))) return 'unknown'
    if (!this.#presence.has(node)) this.#fault(wholeFault(node.offset, route))
    this.#go(node, route)
    return 'object'
  }

  #related(node: Member | Index, route: Route, field: string | undefined): Kind {
    this.kinds.set(node.of, 'object')
    if (this.#fault(listFault(node.offset, route, field ?? 'id'))) return 'unknown'
    const at = this.#go(node, route)
    const { name } = endOf(route)
    if (field === undefined)
      return this.#error(node.offset, `a field of '${name}' has to be named`, `write it as ${name}.id`)
    return at === undefined ? 'unknown' : this.#fieldAt(at.reaching, route, field, node)
  }

  #fieldAt({ relation, fields }: Reaching, route: Route, field: string, node: Node): Kind {
    const { fields: known, relations } = relation.vocabulary
    const kind = known?.get(field)
    if (kind === undefined) {
      const names = [...(known?.keys() ?? []), ...(relations?.keys() ?? [])]
      return this.#error(
        node.offset,
        `'${endOf(route).name}' has no field '${field}'`,
        didYouMean(nearest(field, names)),
      )
    }
    fields.add(field)
    return kind
  }

  #named(node: Name | Variable, written: string): Kind {
    const route = routeOf(node, this.#vocabulary)
    if (route) return this.#whole(node, route)
    const meaning = resolve(node, this.#vocabulary)
    if (meaning === undefined) {
      if (node.kind === 'name' && this.#vocabulary.isOpen === true) return 'unknown'
      return this.#error(node.offset, `'${written}' is not known here`, meantBy(node, this.#vocabulary))
    }
    if (meaning.of === 'now') return 'datetime'
    if (meaning.of === 'root') return this.#root(node, meaning.root)
    if (meaning.of === 'field') this.#scope.fields.add(node.name)
    if (meaning.of === 'name') this.#insides.take(this.#vocabulary.sources?.get(node.name), node.name)
    return this.#insides.keep(node, meaning.known)
  }

  #root(node: Node, root: Root): Kind {
    if (this.#available(node, root) && isRecordRoot(root) && !this.#presence.has(node)) {
      this.#error(
        node.offset,
        `'${root}' cannot be taken as a whole`,
        `name one of its fields, as in ${root}.title`,
      )
    }
    return root === 'op' ? 'text' : 'object'
  }

  /** A value that is taken out of another: `.name` and `[i]`. */
  #part(node: Member | Index): Kind {
    const whole = routeOf(node, this.#vocabulary)
    if (whole) return this.#whole(node, whole)
    const related = fieldRouteOf(node, this.#vocabulary)
    if (related) return this.#related(node, related.route, related.field)
    const root = rootOf(node.of)
    const name = memberName(node)
    if (root === 'user') return this.#userMember(node, name)
    if (root !== undefined && isRecordRoot(root)) return this.#fieldOf(node, root, name)
    const kind = this.kindOf(node.of)
    const shape = this.#insides.of(node.of)
    if (shape) return this.#insides.part(node, shape, name)
    const fits =
      node.kind === 'member' ? kind === 'object' : kind === 'object' || kind === 'list' || kind === 'text'
    if (!fits && kind !== 'unknown') this.#warn(node.offset, `this is ${kind} and has no such part`)
    return kind === 'text' ? 'text' : 'unknown'
  }

  #fieldOf(node: Member | Index, root: Root, name: string | undefined): Kind {
    this.kinds.set(node.of, 'object')
    if (!this.#available(node.of, root)) return 'unknown'
    if (name === undefined) {
      return this.#error(node.offset, `a field of '${root}' has to be named`, `write it as ${root}.title`)
    }
    const kind = this.#vocabulary.fields?.get(name)
    if (kind === undefined) {
      const { fields, relations } = this.#vocabulary
      const hint = didYouMean(nearest(name, [...(fields?.keys() ?? []), ...(relations?.keys() ?? [])]))
      return this.#error(node.offset, `there is no field '${name}'`, hint)
    }
    this.#scope.fields.add(name)
    if (root === 'previous') this.previousFields.add(name)
    return kind
  }

  #userMember(node: Member | Index, name: string | undefined): Kind {
    this.kinds.set(node.of, 'object')
    if (!this.#available(node.of, 'user')) return 'unknown'
    const found = name === undefined ? undefined : USER_MEMBERS.get(name)
    if (found !== undefined) return found.kind
    const hint = didYouMean(nearest(name ?? '', USER_MEMBERS.keys()))
    return this.#error(node.offset, `'user' has ${[...USER_MEMBERS.keys()].join(', ')}`, hint)
  }

  /** Whether the place has this root; if not, that is a fault. */
  #available({ offset }: Node, root: Root): boolean {
    const there = isOffered(root, this.#vocabulary)
    if (!there)
      this.#error(
        offset,
        `there is no '${root}' here`,
        this.#vocabulary.isRelated ? 'in here bare names are fields of each related record' : undefined,
      )
    return there
  }

  #reads({ name, offset }: Call, { reads }: ExpressionFunction): void {
    const { fields, caller } = this.#vocabulary
    if (reads.includes('caller') && caller !== true)
      this.#error(offset, `'${name}' needs a caller, and none is here`)
    if (reads.includes('record') && fields === undefined) {
      this.#error(offset, `'${name}' needs a record, and none is here`)
    }
  }

  #arguments({ name, args }: Call, { takes }: ExpressionFunction, kinds: readonly Kind[]): void {
    for (const [i, arg] of args.entries()) {
      const parameter = takes[Math.min(i, takes.length - 1)]
      const kind = kinds[i]
      if (parameter === undefined || kind === undefined) continue
      const wants = arg.kind === 'literal' ? misfitValue(parameter, arg.value) : misfit(parameter, kind)
      if (wants !== undefined) this.#warn(arg.offset, `'${name}' wants ${wants} here, not ${kind}`)
    }
  }

  #expectKind(node: Node, wanted: Kind, offset: number, message: string): void {
    const kind = this.kindOf(node)
    if (kind !== wanted && kind !== 'unknown' && kind !== 'null')
      this.#warn(offset, `${message}, not ${kind}`)
  }

  /** Tells of a fault, if there is one. */
  #fault(fault: Fault | undefined): boolean {
    if (fault) this.faults.push(fault)
    return fault !== undefined
  }

  #error(offset: number, message: string, hint?: string): Kind {
    this.faults.push(errorAt(offset, message, hint))
    return 'unknown'
  }

  #warn(offset: number, message: string, hint?: string): void {
    this.faults.push(warningAt(offset, message, hint))
  }
}

const isNull = (node: Node): boolean => node.kind === 'literal' && node.value === null
