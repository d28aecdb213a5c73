import {
  type Expression,
  madeOf,
  madeOfRecords,
  recordShape,
  type Resource,
  type Site,
} from '@svc/domain/contract'
import type { Known, ObjectShape } from '@svc/expression/contract'
import type { Branch, Branches } from './branches.ts'
import type { Draft } from './drafts.ts'
import { eventShape, type Scope, shapeOf, speechOf } from './speech.ts'

/** Branches in branches beyond what anybody writes: a circle of them is reported elsewhere. */
const MAX_NESTING = 64

/** What the scopes of a workflow are made of. */
export interface Surroundings {
  readonly drafts: ReadonlyMap<string, Draft>
  readonly branches: Branches
  /** The resource of the record that starts an instance. */
  readonly triggering: Resource | undefined
  /** The first step of the handler. */
  readonly handler: string | undefined
  readonly resources: ReadonlyMap<string, Resource>
  readonly site: Pick<Site, 'apart'>
}

/** What the expressions of each step may name: items are those of the forEach around it. */
export class Scopes {
  readonly #around: Surroundings
  readonly #outermost: Scope
  readonly #inHandler: Known
  readonly #items = new Map<string, Known>()
  #results: Known | undefined

  constructor(surroundings: Surroundings) {
    this.#around = surroundings
    const { triggering, drafts } = surroundings
    const outermost: Scope = { resource: triggering, isItem: false, variables: new Map() }
    this.#outermost = outermost
    this.#inHandler = shapeOf({ step: 'text', code: 'text', message: 'text' })
    const actor = shapeOf({ id: 'text', username: 'text' })
    this.#outermost = {
      ...outermost,
      variables: new Map<string, Known>([
        [
          'trigger',
          shapeOf({ ...(triggering && { record: recordShape(triggering) }), actor, input: 'unknown' }),
        ],
        ['event', this.#lastEvent()],
        [
          'steps',
          {
            kind: 'object',
            members: new Map([...drafts].map(([name, draft]) => [name, this.#stepShape(draft)])),
          },
        ],
        ['workflow', shapeOf({ id: 'text', name: 'text', startedAt: 'datetime' })],
      ]),
    }
  }

  /** What a step may name. */
  of(step: string): Scope {
    return this.branchesAround(step)
      .toReversed()
      .reduce((scope, branch) => this.#inside(scope, branch), this.#outermost)
  }

  /** The innermost forEach around each step that is in one. */
  forEachAround(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#around.drafts.keys()].flatMap((step) => {
        const branch = this.branchesAround(step).find(({ of }) => of?.kind === 'forEach')
        return branch?.of === undefined ? [] : [[step, branch.of.name] as const]
      }),
    )
  }

  /** The names by which items go, by the first step of what runs for them. */
  itemNames(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#around.drafts.values()].flatMap(({ name, written: { forEach } }) => {
        if (forEach === undefined) return []
        const first = typeof forEach.step === 'string' ? forEach.step : `${name}.step`
        return [[first, forEach.as ?? 'item'] as const]
      }),
    )
  }

  /** The branches around a step, the innermost first. */
  branchesAround(step: string): readonly Branch[] {
    const { branches } = this.#around
    const around: Branch[] = []
    for (let at = branches.branchOf(step); at !== undefined && around.length < MAX_NESTING;) {
      around.push(at)
      at = at.of && branches.branchOf(at.of.name)
    }
    return around
  }

  #inside(scope: Scope, { first, of }: Branch): Scope {
    const isHandler = of === undefined && first === this.#around.handler
    if (isHandler) return { ...scope, variables: new Map([...scope.variables, ['error', this.#inHandler]]) }
    const forEach = of?.written.forEach
    if (forEach === undefined) return scope
    const { collection, as = 'item' } = forEach
    const resource =
      typeof collection === 'string' ? undefined : this.#around.resources.get(collection.resource)
    const item: Known =
      typeof collection === 'string'
        ? this.#itemOf(of?.name ?? first, collection, scope)
        : resource === undefined
          ? 'unknown'
          : recordShape(resource)
    const variables = new Map<string, Known>([...scope.variables, [as, item], ['item', item]])
    return typeof collection === 'string' ? { ...scope, variables } : { resource, isItem: true, variables }
  }

  /** What is known of the items of a list: what the list is worked out from. What is wrong with it is reported elsewhere. */
  #itemOf(step: string, collection: string, scope: Scope): Known {
    const known = this.#items.get(step)
    if (known !== undefined) return known
    const speech = { ...speechOf(scope), kind: 'list' } as const
    const list: Expression | undefined = this.#around.site.apart().expression(collection, [], speech)
    const item = list === undefined ? 'unknown' : madeOf([list], scope.resource)
    this.#items.set(step, item)
    return item
  }

  /** What is known of what comes of several steps: that it may hold anything of what these have written. */
  #resultsShape(): Known {
    const { drafts, resources, triggering } = this.#around
    const untold = [...new Set([triggering, ...this.#collected()])]
    const targets = [...drafts.values()].flatMap(({ kind, written: { action, target } }) => {
      if (kind !== 'action' || isWriteless(action)) return []
      return target === undefined ? untold : [resources.get(target)]
    })
    return madeOfRecords([...new Set(targets)].filter((one) => one !== undefined))
  }

  /** The resources through whose records a forEach goes. */
  #collected(): readonly (Resource | undefined)[] {
    return [...this.#around.drafts.values()].flatMap(({ written: { forEach } }) =>
      forEach === undefined || typeof forEach.collection === 'string'
        ? []
        : [this.#around.resources.get(forEach.collection.resource)],
    )
  }

  /** What the last event is, whichever wait that was of. */
  #lastEvent(): ObjectShape {
    const waited = new Set(
      [...this.#around.drafts.values()].flatMap(({ written }) => written.wait?.resource ?? []),
    )
    const [only] = waited
    const { resources } = this.#around
    if (waited.size === 1 && only !== undefined) return eventShape(resources.get(only))
    const some = [...waited].map((name) => resources.get(name)).filter((one) => one !== undefined)
    const record = madeOfRecords(some)
    return shapeOf({ record, previous: record, transition: 'text' })
  }

  /** What is known of what came of a step. */
  #stepShape({ name, kind, written }: Draft): ObjectShape {
    const { resources } = this.#around
    const { wait, action, target } = written
    const event =
      kind === 'wait'
        ? eventShape(wait?.resource === undefined ? undefined : resources.get(wait.resource))
        : 'null'
    if (kind === 'action') return shapeOf({ result: this.#resultShape(name, action, target), event })
    const isJoined = kind === 'forEach' || kind === 'parallel'
    return shapeOf({ result: isJoined ? (this.#results ??= this.#resultsShape()) : 'null', event })
  }

  #resultShape(name: string, action: string | undefined, target: string | undefined): Known {
    if (action === 'notify') return shapeOf({ ids: { kind: 'list', items: 'text' } })
    if (action === 'template') return shapeOf({ documentId: 'text' })
    if (action === 'noop') return 'null'
    const resource = target === undefined ? this.of(name).resource : this.#around.resources.get(target)
    return resource === undefined ? 'unknown' : recordShape(resource)
  }
}

/** Actions whose result is no record. */
const isWriteless = (action: string | undefined): boolean =>
  action === 'notify' || action === 'noop' || action === 'template'
