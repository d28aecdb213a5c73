import type { Warning } from '@svc/kernel'
import { Increment, type Row, type Transaction } from '@svc/store/contract'
import type { Due } from '../contract/due.ts'
import type { Alteration } from '../crossing/dependents.ts'
import type { CrossPlan } from '../crossing/plan.ts'
import { spread, type SpreadStart } from '../crossing/spread.ts'
import type { Touched } from '../crossing/touched.ts'
import { takeTurn } from '../crossing/turn.ts'
import { deriveFrom } from '../model/derived.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { VERSION } from '../model/table.ts'
import { type Companion, companionChange, companionOf } from './cascade.ts'
import type { ApplyStep, Change } from './change.ts'
import { fillChanged } from './defaults.ts'
import { updateRow } from './persist.ts'

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
  /** Works out what depends on the record that was written, and stores it. */
  readonly spread: ApplyStep
  /** Has the steps of blocks run for the records that followed, and the bus told. */
  readonly tell: ApplyStep
  /** Works out what is due, and what depends on that, in the name of `companion`. */
  due(due: Due, companion: Companion, transaction: Transaction): Promise<readonly Change[]>
  /** Has records follow one that was stored behind the one way in, in the same way: without steps, ledgers and events, however many. */
  quietly(altered: Alteration, transaction: Transaction, now: () => number): Promise<void>
}

interface Following {
  readonly afterWrite: ApplyStep
  announce(change: Change): void
}

/** The records that followed a change, until they are told. */
const followed = new WeakMap<Change, readonly Change[]>()

/** What is to be done with writes of a model of which formulas look into other records. */
export function createRecomputing(model: Model, plan: CrossPlan, steps: Following): Recomputing {
  const spreadFrom = async (start: SpreadStart, transaction: Transaction, now: () => number) => {
    const graph = await plan.graph(transaction)
    return spread(start, { graph, resources: plan.resources, transaction, now, most: MOST_AT_ONCE })
  }
  const follow = async (all: readonly Touched[], companion: Companion, transaction: Transaction) => {
    const changes = all.map((one) => followingChange(one, companion))
    await Promise.all(changes.map((change) => updateRow(change, transaction)))
    return changes
  }
  return {
    turn: (changes, transaction) => takeTurns(changes, { domain: model.name, plan, transaction }),
    follows: (resource) => plan.spreads(resource),
    async spread(change, transaction) {
      if (!plan.spreads(change.resource)) return
      const { now } = change.access
      const { written, others, later } = await spreadFrom({ written: writtenBy(change) }, transaction, now)
      if (written) takeOver(change, written)
      const changes = await follow(others, companionOf(change), transaction)
      if (changes.length > 0) followed.set(change, changes)
      if (later.length === 0) return
      await postpone(later, companionOf(change), model, transaction)
      change.warn(laterWarning(later))
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
    async due(due, companion, transaction) {
      await takeAll(model.name, transaction)
      const { others, later } = await spreadFrom({ due }, transaction, companion.runtime.env.now)
      const changes = await follow(others, companion, transaction)
      for (const one of changes) await steps.afterWrite(one, transaction)
      await postpone(later, companion, model, transaction)
      return changes
    },
    quietly: (altered, transaction, now) =>
      oneByOne(transaction, async () => {
        const { resource, before, after } = altered
        if (!plan.spreads(resource)) return
        await takeAll(model.name, transaction)
        const graph = await plan.graph(transaction)
        const key = (after ?? before)![resource.key.name]!
        const written = {
          resource,
          key,
          before: live(resource, before),
          after: live(resource, after),
        }
        const around = { graph, resources: plan.resources, transaction, now, most: Infinity }
        const { others } = await spread({ written }, around)
        for (const one of others) await storeQuietly(one, transaction)
      }),
  }
}

interface Turning {
  readonly domain: string
  readonly plan: CrossPlan
  readonly transaction: Transaction
}

/** Takes what several changes of one resource need. */
async function takeTurns(changes: readonly Change[], { domain, plan, transaction }: Turning): Promise<void> {
  const [first] = changes
  if (first === undefined || !(plan.spreads(first.resource) || plan.looks(first.resource))) return
  const { resource } = first
  if (plan.isOpen) {
    const lock = changes.some((change) => plan.looks(resource) && mayGiveFormula(change)) || 'shared'
    await takeTurn({ domain, of: 'formulas', lock }, transaction)
  }
  const isRead =
    plan.isRead(resource) || (plan.isOpen && (await plan.graph(transaction)).isRead(resource.name))
  if (isRead) await takeTurn({ domain, of: 'values', lock: true }, transaction)
  else if (plan.looks(resource)) await takeTurn({ domain, of: 'values', lock: 'shared' }, transaction)
}

/** What takes an earlier state back may bring any formula. */
const KNOWN: ReadonlySet<string> = new Set(['create', 'update', 'put', 'transition', 'delete', 'restore'])

const mayGiveFormula = ({ kind, resource: { overrides }, values }: Change): boolean =>
  overrides.length > 0 && (!KNOWN.has(kind) || overrides.some(({ name }) => (values[name] ?? null) !== null))

/** Both turns, for what may be about anything. */
async function takeAll(domain: string, transaction: Transaction): Promise<void> {
  await takeTurn({ domain, of: 'formulas', lock: 'shared' }, transaction)
  await takeTurn({ domain, of: 'values', lock: true }, transaction)
}

/** What is under way in a transaction, of whose records some may be stored abreast: what follows them may be the same. */
const underWay = new WeakMap<Transaction, Promise<void>>()

function oneByOne(transaction: Transaction, work: () => Promise<void>): Promise<void> {
  const before = underWay.get(transaction) ?? Promise.resolve()
  const next = before.then(work)
  underWay.set(transaction, next)
  return next
}

async function storeQuietly(
  { resource, key, row, changed }: Touched,
  transaction: Transaction,
): Promise<void> {
  const values = Object.fromEntries([...changed].map((name) => [name, row[name] ?? null]))
  await transaction.update({
    table: resource.table,
    set: { ...values, ...deriveFrom(values, resource.derived), [VERSION.name]: new Increment(1) },
    where: { op: 'eq', column: resource.key.column!, value: key },
  })
}

/** The record before and after a write, as far as others can find it then. */
function writtenBy({ kind, resource, key, previous, record }: Change): NonNullable<SpreadStart['written']> {
  const before = kind === 'restore' ? undefined : live(resource, previous)
  return { resource, key: key!, before, after: kind === 'delete' ? undefined : live(resource, record) }
}

const live = ({ features }: Resource, row: Row | undefined): Row | undefined =>
  features.softDelete && (row?.['deletedAt'] ?? null) !== null ? undefined : row

/** The record as it was stored has followed what it brought about itself. */
function takeOver(change: Change, { row, changed }: Touched): void {
  for (const name of changed) change.values[name] = row[name] ?? null
  change.record = {
    ...change.record,
    ...Object.fromEntries([...changed].map((name) => [name, row[name] ?? null])),
  }
}

function followingChange({ resource, before, row, changed }: Touched, companion: Companion): Change {
  const change = companionChange(companion, 'update', resource, before)
  for (const name of changed) change.values[name] = row[name] ?? null
  fillChanged(change)
  return change
}

/** Leaves what is due to those who do it later. */
async function postpone(
  later: readonly Due[],
  { domain, caller, requestId, depth = 0, origin }: Companion,
  { parts }: Model,
  transaction: Transaction,
): Promise<void> {
  for (const due of later) {
    const owner = parts.find(({ part, resource }) => resource === due.resource && part.postpone !== undefined)
    await owner?.part.postpone?.(due, { domain, caller, requestId, depth, origin }, transaction)
  }
}

function laterWarning(later: readonly Due[]): Warning {
  const count = new Set(
    later.flatMap(({ resource, keys }) => keys.map((key) => JSON.stringify([resource.name, key]))),
  ).size
  return {
    rule: 'recompute',
    severity: 'warning',
    message: `${count} further ${count === 1 ? 'record depends' : 'records depend'} on this: ${count === 1 ? 'it is' : 'they are'} worked out in the background, and ${count === 1 ? 'shows its' : 'show their'} old values until then`,
    regulation: null,
  }
}
