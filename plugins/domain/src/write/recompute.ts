import type { Row, Transaction } from '@svc/store/contract'
import type { Due } from '../contract/due.ts'
import type { Touched } from '../crossing/touched.ts'
import type { Alteration } from '../crossing/dependents.ts'
import type { CrossPlan } from '../crossing/plan.ts'
import { spread, type SpreadStart, type Written } from '../crossing/spread.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { type Companion, companionOf } from './cascade.ts'
import type { ApplyStep, Change } from './change.ts'
import type { Dependents } from './dependents.ts'
import { postpone, storeFollowing, storeQuietly, takeOver } from './following.ts'
import { Together } from './together.ts'
import { takeTurns, takeTurnsOf } from './turns.ts'

/** How many other records a write works out at once; further ones follow behind it. */
export const MOST_AT_ONCE = 1000

/** How records follow what their formulas find in others. */
export interface Recomputing {
  /**
   * Takes the turns that changes of a resource need whose formulas look into other records, or others' into its own: before
   * these hold anything.
   */
  turn(changes: readonly Change[], transaction: Transaction): Promise<void>
  /** Whether more follows in the transaction when a record of the resource is written. */
  follows(resource: Resource): boolean
  /** Works out what depends on the record that was written, and stores it; of changes that are gathered it notes them. */
  readonly spread: ApplyStep
  /** Has the steps of blocks run for the records that followed, and the bus told. */
  readonly tell: ApplyStep
  /** Gathers what changes of one transaction write, so that what depends on it follows once behind all of them. */
  gathering(changes: readonly Change[]): Gathering
  isGathered(change: Change): boolean
  /** Gathers a change where that is done with its cause, which it goes along with. */
  join(change: Change, cause: Change): void
  /** Works out what is due, and what depends on that, in the name of `companion`. */
  due(due: Due, companion: Companion, transaction: Transaction): Promise<readonly Change[]>
  /**
   * Has records follow those that were stored behind the one way in, in the same way: without steps, ledgers and events, however many.
   * Answers them.
   */
  quietly(
    altered: readonly Alteration[],
    transaction: Transaction,
    now: () => number,
  ): Promise<readonly Touched[]>
}

/** Changes that are written before anything follows them. */
export interface Gathering {
  /**
   * Works out what depends on all that was written, in the name of `companion`, and has the steps of blocks run for it; answers
   * the changes, of which the bus is to be told.
   */
  follow(companion: Companion, transaction: Transaction): Promise<readonly Change[]>
  /** Gathers no more: changes that run again are followed each by itself. */
  end(): void
}

interface Following {
  readonly dependents: ReadonlyMap<string, Dependents>
  readonly afterWrite: ApplyStep
  announce(change: Change): void
}

/** The records that followed a change, until they are told. */
const followed = new WeakMap<Change, readonly Change[]>()
/** The changes that are gathered, with which. */
const gathered = new WeakMap<Change, Together>()

/** What is to be done with writes of a model of which formulas look into other records. */
export function createRecomputing(model: Model, plan: CrossPlan, steps: Following): Recomputing {
  const { dependents } = steps
  const spreadFrom = async (
    start: SpreadStart,
    transaction: Transaction,
    now: () => number,
    most = MOST_AT_ONCE,
  ) => {
    const graph = await plan.graph(transaction)
    return spread(start, { graph, resources: plan.resources, transaction, now, most })
  }
  /** Stores what has followed, and leaves for later what is too much. */
  const follow = async (start: SpreadStart, companion: Companion, transaction: Transaction) => {
    const { now } = companion.runtime.env
    const { written, others, later } = await spreadFrom(start, transaction, now)
    const changes = await storeFollowing(others, companion, transaction)
    await postpone(later, companion, model, transaction)
    return { written, changes }
  }
  /** The same where nothing else is to be written first. */
  const followAndTell = async (start: SpreadStart, companion: Companion, transaction: Transaction) => {
    const { changes } = await follow(start, companion, transaction)
    for (const one of changes) await steps.afterWrite(one, transaction)
    return changes
  }
  return {
    turn: (changes, transaction) => takeTurns(changes, dependents, { domain: model.name, plan, transaction }),
    follows: (resource) => plan.spreads(resource),
    spread(change, transaction) {
      if (!plan.spreads(change.resource)) return undefined
      const together = gathered.get(change)
      if (together !== undefined) return together.note(writtenBy(change), change)
      return followOne(change, transaction)
    },
    async tell(change, transaction) {
      const changes = followed.get(change)
      if (changes === undefined) return
      followed.delete(change)
      for (const one of changes) {
        await steps.afterWrite(one, transaction)
        change.afterCommit.push(() => steps.announce(one))
      }
    },
    gathering(changes) {
      const together = new Together()
      for (const change of changes) gathered.set(change, together)
      return {
        async follow(companion, transaction) {
          const written = await together.written(transaction)
          if (written.length === 0) return []
          const made = await followAndTell({ written, isOver: true }, companion, transaction)
          together.takeOver(made)
          return made
        },
        end() {
          for (const change of changes) gathered.delete(change)
        },
      }
    },
    isGathered: (change) => gathered.has(change),
    join(change, cause) {
      const together = gathered.get(cause)
      if (together !== undefined) gathered.set(change, together)
    },
    async due(due, companion, transaction) {
      await takeTurnsOf(new Set([due.resource]), { domain: model.name, plan, transaction })
      return followAndTell({ due }, companion, transaction)
    },
    async quietly(altered, transaction, now) {
      const concerned = altered.filter(({ resource }) => plan.spreads(resource))
      if (concerned.length === 0) return []
      let touched: readonly Touched[] = []
      await oneByOne(transaction, async () => {
        const resources = new Set(concerned.map(({ resource }) => resource))
        await takeTurnsOf(resources, { domain: model.name, plan, transaction })
        const together = new Together()
        for (const one of concerned) together.note(livingOf(one))
        const written = await together.written(transaction)
        const { others } = await spreadFrom({ written }, transaction, now, Infinity)
        await storeQuietly(others, transaction)
        touched = others
      })
      return touched
    },
  }

  async function followOne(change: Change, transaction: Transaction): Promise<void> {
    const start = { written: [writtenBy(change)] }
    const { written, changes } = await follow(start, companionOf(change), transaction)
    for (const touched of written) takeOver(change, touched)
    if (changes.length > 0) followed.set(change, changes)
  }
}

/** What is under way in a transaction, of whose records some may be stored abreast: what follows them may be the same. */
const underWay = new WeakMap<Transaction, Promise<void>>()

function oneByOne(transaction: Transaction, work: () => Promise<void>): Promise<void> {
  const before = underWay.get(transaction) ?? Promise.resolve()
  const next = before.then(work)
  underWay.set(transaction, next)
  return next
}

/** The record before and after a write, as far as others can find it then. */
function writtenBy({ kind, resource, key, previous, record }: Change): Written {
  const before = kind === 'restore' ? undefined : live(resource, previous)
  return { resource, key: key!, before, after: kind === 'delete' ? undefined : live(resource, record) }
}

/** What is known of one that was stored behind the one way in. */
const livingOf = ({ resource, before, after }: Alteration): Omit<Written, 'after'> => ({
  resource,
  key: (after ?? before)![resource.key.name]!,
  before: live(resource, before),
})

const live = ({ features }: Resource, row: Row | undefined): Row | undefined =>
  features.softDelete && (row?.['deletedAt'] ?? null) !== null ? undefined : row
