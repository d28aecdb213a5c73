import { AppError, SYSTEM } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import { inTurn } from '../blocks/in-turn.ts'
import { blockSteps } from '../blocks/steps.ts'
import type { ChangeKind } from '../contract/change.ts'
import { crossPlan } from '../crossing/plan.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { createBeforehand, thrown } from './beforehand.ts'
import { companionOf } from './cascade.ts'
import { beginWarnings, type Change, tellWarnings, warnedBy } from './change.ts'
import { accountDependents, dependentsOf } from './dependents.ts'
import { emitChange } from './emit.ts'
import { innerWrites, type Inside, remaining } from './inner-writes.ts'
import { lockChanges } from './lock.ts'
import { createRecomputing } from './recompute.ts'
import { checkReferences } from './references.ts'
import { remainderOf } from './remainder.ts'
import { retryTaken } from './retry.ts'
import { runEnterHooks } from './states/hooks.ts'
import { orderSteps } from './steps.ts'
import { valuesOf } from './values.ts'
import type { Transact, Writer } from './writer.ts'

/** Makes what runs the ordered steps of each kind of write on a model. */
export function createWriter(model: Model): Writer {
  const lookUp = checkReferences((name) => mustHave(model, name))
  const inner: Inside = {
    inside: (change, transaction) => inside(change, transaction),
    follow: (...due) => followDue(...due),
    announce,
  }
  const blocks = blockSteps(model, innerWrites(inner))
  const dependents = dependentsOf(model)
  const plan = crossPlan(model.resources)
  const { afterWrite } = blocks
  const recomputing = plan && createRecomputing(model, plan, { dependents, afterWrite, announce })
  const followDue: Writer['follow'] = async (due, companion, transaction) =>
    (await recomputing?.due(due, companion, transaction)) ?? []
  const steps = orderSteps(model, { blocks, dependents, lookUp, plan, recomputing, announce })
  const lockRecords = lockChanges(model, dependents)
  const { prepare, ...beforehand } = createBeforehand(steps, lookUp)
  /** Changes of many in one transaction, which takes the turns of all of them at its beginning. */
  const turned = new WeakSet<Change>()
  const apply = async (change: Change, transaction: Transaction) => {
    rewind(change)
    beginWarnings(change)
    change.afterCommit.length = 0
    change.faults.length = 0
    if (recomputing && !turned.has(change)) await recomputing.turn([change], transaction)
    const write = () => inTurn(steps.of(change).apply, change, transaction)
    const isOutermost = recomputing && takesAlong(change) && !recomputing.isGathered(change)
    const pending = isOutermost ? together([change], transaction, write) : write()
    if (pending !== undefined) await pending
  }
  /** Has what depends on changes, and on all that goes along with them, follow once behind `write`. */
  const together = async (
    causes: readonly Change[],
    transaction: Transaction,
    write: () => void | Promise<void>,
  ) => {
    const gathering = recomputing?.gathering(causes)
    try {
      await write()
      const [first] = causes
      if (gathering === undefined || first === undefined) return
      for (const change of await gathering.follow(companionOf(first), transaction))
        first.afterCommit.push(() => announce(change))
    } finally {
      gathering?.end()
    }
  }
  /** Whether records of other resources may go, or come back, along with the one that a change is about. */
  const takesAlong = ({ kind, resource }: Change) =>
    (kind === 'delete' || kind === 'restore') && dependents.get(resource.name)!.children.length > 0
  const settle: Writer['settle'] = async (error, refused, transaction) => {
    const remainder = remainderOf(error)
    if (remainder === undefined) return
    const { runtime } = refused
    const write = (within: Transaction) => remainder(remaining(refused, within, inner))
    await (transaction === undefined ? runtime.transaction(SYSTEM, write) : write(transaction))
  }
  const settled: Writer['settled'] = async (refused, work) => {
    try {
      return await work()
    } catch (error) {
      await settle(error, refused)
      throw error
    }
  }
  const carryOut = async <T>(
    change: Change,
    transact: Transact<T>,
    answer: (change: Change, transaction: Transaction) => T | Promise<T>,
  ): Promise<T> => {
    const result = await settled(change, () =>
      retryTaken(() =>
        transact(
          async (transaction) => {
            await apply(change, transaction)
            return answer(change, transaction)
          },
          { warnings: () => warnedBy(change) },
        ),
      ),
    )
    tellWarnings(change)
    announce(change)
    return result
  }
  const run: Writer['answer'] = (change, transact, answer) => {
    change.isLast &&=
      CLOSING.has(change.kind) && blocks.appendOnly(change) && recomputing?.follows(change.resource) !== true
    const refused = prepare(change)
    if (refused instanceof AppError) return refused
    const begin = async () => (await refused) ?? carryOut(change, transact, answer)
    return refused === undefined ? carryOut(change, transact, answer) : begin()
  }
  const within: Writer['within'] = (change, transaction) => {
    change.isLast = false
    return apply(change, transaction)
  }
  const inside: Writer['inside'] = async (change, transaction) => {
    const pending = thrown(prepare(change))
    if (pending !== undefined) await pending
    await within(change, transaction)
    tellWarnings(change)
  }
  return {
    run: (change) =>
      run(
        change,
        (work) => change.runtime.transaction(change.caller, work),
        () => undefined,
      ),
    answer: run,
    ...beforehand,
    async lock(changes, transaction) {
      if (recomputing) {
        await recomputing.turn(changes, transaction)
        for (const change of changes) turned.add(change)
      }
      await lockRecords(changes, transaction)
    },
    follow: followDue,
    follows: (resource) => recomputing?.follows(resource) === true,
    gathering: (changes) =>
      changes.some((change) => recomputing?.follows(change.resource) === true || takesAlong(change))
        ? recomputing?.gathering(changes)
        : undefined,
    followQuietly: async (altered, transaction, now) =>
      (await recomputing?.quietly(altered, transaction, now)) ?? [],
    within,
    inside,
    linking: blocks.linking,
    announce,
    settle,
    settled,
    async releaseAccount(causeOf, transaction) {
      const causes = new Map(accountDependents(model).map((child) => [child, causeOf(child.resource)]))
      const all = [...causes.values()]
      await recomputing?.turn(all, transaction)
      await together(all, transaction, () => steps.deletion.releaseAccount(causes, transaction))
    },
  }
}

/** The kinds whose steps end with the write of the record, as far as no block adds any. */
const CLOSING: ReadonlySet<ChangeKind> = new Set(['create', 'update', 'put', 'transition'])

/** A transaction that clashed with another runs its work again, which then begins where it began before. */
function rewind(change: Change): void {
  const { prepared, values } = change
  if (prepared === undefined) {
    change.prepared = valuesOf(values)
    return
  }
  for (const name in values) if (!(name in prepared)) delete values[name]
  Object.assign(values, prepared)
  change.transition = undefined
}

function announce(change: Change): void {
  // What a law takes away is not told once more.
  if (change.kind !== 'overwrite') emitChange(change)
  for (const tell of change.afterCommit) tell()
  runEnterHooks(change)
}

function mustHave(model: Model, name: string): Resource {
  const resource = model.resources.get(name)
  if (!resource) throw new Error(`the model has no resource '${name}'`)
  return resource
}
