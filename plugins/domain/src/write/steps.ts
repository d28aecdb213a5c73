import { SYSTEM, type Warning } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { kindsOf } from '../blocks/added.ts'
import { inTurn } from '../blocks/in-turn.ts'
import { blockSteps } from '../blocks/steps.ts'
import type { ChangeKind, OwnKind } from '../contract/change.ts'
import type { RecordWrite } from '../contract/writes.ts'
import {
  type ApplyStep,
  beginWarnings,
  type Change,
  type PrepareStep,
  tellWarnings,
  warnedBy,
} from './change.ts'
import type { Due, LeftBy } from '../contract/due.ts'
import { crossPlan } from '../crossing/plan.ts'
import { companionOf } from './cascade.ts'
import { nestedChange } from './nested.ts'
import { createRecomputing } from './recompute.ts'
import { RecordWrites } from './record-writes.ts'
import { remainderOf } from './remainder.ts'
import { judgeBody, refuseBody } from './body.ts'
import { runEnterHooks, runExitHooks } from './states/hooks.ts'
import { moveState } from './states/move.ts'
import { askHandlers, assignFields } from './custom.ts'
import { emitChange } from './emit.ts'
import { computeStored, fillChanged, fillNew, fillReplaced, undelete } from './defaults.ts'
import { keepImmutable } from './immutable.ts'
import { insertRow, removeRow, updateRow } from './persist.ts'
import { loadPrevious } from './previous.ts'
import { assertPossible, authorizeNew } from './authorize.ts'
import { keepDifferent, returnState, takeEarlier } from './reinstate.ts'
import { retryTaken } from './retry.ts'
import { createDeletion } from './deletion.ts'
import { dependentsOf } from './dependents.ts'
import { lockChanges } from './lock.ts'
import { checkReferences, checkUsers } from './references.ts'
import { judgeOverrides } from './overrides.ts'
import { fillNumbers } from './counters.ts'
import { hashSecrets } from './secrets.ts'
import { checkRules } from './validation.ts'
import { acceptFields, keepOwners } from './accept.ts'
import { fillSlugs } from './slug.ts'
import { takeRaw } from './overwrite.ts'
import { checkValues, refuseFaults } from './validate.ts'
import { verifyValues } from './verify.ts'
import { valuesOf } from './values.ts'
import type { Refused, Writer } from './writer.ts'

interface Steps {
  /** Before the transaction: what the body alone decides. */
  readonly check: readonly PrepareStep[]
  /** Then, with secrets hashed: what others are asked. */
  readonly ask?: readonly PrepareStep[]
  /** Inside the transaction: what depends on stored records. */
  readonly apply: readonly ApplyStep[]
}

/** The ordered steps of each kind of write on a model. */
export function createWriter(model: Model): Writer {
  const lookUp = checkReferences((name) => mustHave(model, name))
  const references: ApplyStep = (change, transaction) => lookUp(change, transaction, true)
  const verify: ApplyStep = (change, transaction) => verifyValues(change, transaction, true)
  const refuseFaulty = refuseBody(lookUp)
  const { prepare, beforeWrite, afterWrite, linking, endsWithWrite } = blockSteps(
    model,
    (cause, transaction) => {
      const { domain, runtime, caller, requestId, at, signal, origin: setOffBy } = cause
      const tell = (warning: Warning) => cause.warn(warning)
      const depth = cause.depth + 1
      const origin = { domain, runtime, caller, requestId, at, tell, signal, cause, depth, setOffBy }
      const record = async (write: RecordWrite) => {
        const change = nestedChange(write, origin, transaction)
        await inside(change, transaction)
        cause.afterCommit.push(() => announce(change))
        return change.kind === 'delete' ? undefined : change.record
      }
      const follow = async (due: Due, by: LeftBy) => {
        for (const change of await followDue(due, { ...companionOf(cause), ...by }, transaction))
          cause.afterCommit.push(() => announce(change))
      }
      return new RecordWrites(transaction, { record, follow }, cause.afterCommit)
    },
  )
  const plan = crossPlan(model.resources)
  const recomputing = plan && createRecomputing(model, plan, { afterWrite, announce })
  const judgeFormulas = judgeOverrides(plan)
  const followDue: Writer['follow'] = async (due, companion, transaction) =>
    (await recomputing?.due(due, companion, transaction)) ?? []
  const preparing = prepare === undefined ? [] : [prepare]
  /** What blocks find wrong with a change that has no body. */
  const bodiless = prepare === undefined ? [] : [judgeBody(preparing)]
  const written = (write: ApplyStep) =>
    recomputing === undefined
      ? [beforeWrite, write, afterWrite]
      : [beforeWrite, write, recomputing.spread, afterWrite, recomputing.tell]
  const sent = (fill: readonly PrepareStep[] = []) => [
    judgeBody([acceptFields, checkValues, ...fill, checkUsers, ...preparing]),
  ]
  /** What every change of a stored record goes through once it is known what changes. */
  const changed = [
    fillChanged,
    judgeFormulas,
    computeStored,
    checkRules,
    references,
    verify,
    refuseFaults,
    ...written(updateRow),
  ]
  const edited = [loadPrevious, keepOwners, keepImmutable, assignFields, moveState, ...changed]
  const dependents = dependentsOf(model)
  const lockRecords = lockChanges(model, dependents)
  const deletion = createDeletion(model, dependents, {
    remove: (release) => {
      const [before, ...after] = written(removeRow)
      return [before!, release, ...after]
    },
    empty: [fillChanged, computeStored, checkRules, refuseFaults, ...written(updateRow)],
    restore: (follow) => [undelete, fillChanged, computeStored, ...written(updateRow), follow],
    announce,
  })
  const own: Record<Exclude<OwnKind, 'linked' | 'unlinked'>, Steps> = {
    create: {
      check: sent([fillNew]),
      apply: [
        fillNumbers,
        fillSlugs,
        judgeFormulas,
        computeStored,
        authorizeNew,
        checkRules,
        references,
        verify,
        refuseFaults,
        ...written(insertRow),
      ],
    },
    update: { check: sent(), ask: [runExitHooks], apply: edited },
    put: { check: sent([fillReplaced]), ask: [runExitHooks], apply: edited },
    transition: { check: sent(), ask: [runExitHooks], apply: edited },
    custom: { check: sent(), ask: [runExitHooks, askHandlers], apply: edited },
    delete: { check: bodiless, apply: [loadPrevious, deletion.remove] },
    restore: { check: bodiless, apply: [loadPrevious, deletion.restore] },
    overwrite: { check: [takeRaw], apply: [loadPrevious, computeStored, ...written(updateRow).slice(1)] },
  }
  const reinstating: Steps = {
    check: [takeEarlier, ...bodiless],
    apply: [loadPrevious, keepDifferent, returnState, checkValues, refuseFaults, ...changed],
  }
  const added = kindsOf(model).map((kind) => [kind, reinstating] as const)
  const byKind = new Map<ChangeKind, Steps>([...Object.entries(own), ...added])
  const stepsOf = ({ kind }: Change): Steps => {
    const steps = byKind.get(kind)
    if (steps === undefined)
      throw new Error(`no block owns the kind of change '${kind}': name it in the block's 'changes'`)
    return steps
  }
  const gather = (change: Change) => {
    assertPossible(change)
    return inTurn(stepsOf(change).check, change, undefined)
  }
  const ask = (change: Change) => inTurn(stepsOf(change).ask ?? [], change, undefined)
  /** What comes before the transaction. */
  const beforehand = [gather, refuseFaulty, (change: Change) => hashSecrets([change]), ask]
  /** Changes of many in one transaction, which takes the turns of all of them at its beginning. */
  const turned = new WeakSet<Change>()
  const apply = async (change: Change, transaction: Transaction) => {
    rewind(change)
    beginWarnings(change)
    change.afterCommit.length = 0
    change.faults.length = 0
    if (recomputing && !turned.has(change)) await recomputing.turn([change], transaction)
    const pending = inTurn(stepsOf(change).apply, change, transaction)
    if (pending !== undefined) await pending
  }
  const settle: Writer['settle'] = async (error, refused, transaction) => {
    const remainder = remainderOf(error)
    if (remainder === undefined) return
    const { runtime } = refused
    const write = (within: Transaction) => remainder(remaining(refused, within))
    await (transaction === undefined ? runtime.transaction(SYSTEM, write) : write(transaction))
  }
  /** What is written of a refused write, in nobody's name. */
  const remaining = (refused: Refused, transaction: Transaction) => {
    const { domain, runtime, requestId, depth, origin: setOffBy } = refused
    const at = new Date(runtime.env.now()).toISOString()
    const own = { domain, runtime, requestId, at, depth: depth + 1, setOffBy }
    const origin = { ...own, caller: SYSTEM, tell: () => undefined }
    return new RecordWrites(transaction, {
      async record(write) {
        const change = nestedChange(write, origin, transaction)
        await inside(change, transaction)
        transaction.afterCommit(() => announce(change))
        return change.kind === 'delete' ? undefined : change.record
      },
      async follow(due, by) {
        for (const change of await followDue(due, { ...origin, ...by }, transaction))
          transaction.afterCommit(() => announce(change))
      },
    })
  }
  const settled: Writer['settled'] = async (refused, work) => {
    try {
      return await work()
    } catch (error) {
      await settle(error, refused)
      throw error
    }
  }
  const carryOut: Writer['answer'] = async (change, transact, answer) => {
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
      CLOSING.has(change.kind) &&
      endsWithWrite(change.resource) &&
      recomputing?.follows(change.resource) !== true
    const pending = inTurn(beforehand, change, undefined)
    const begin = () => carryOut(change, transact, answer)
    return pending === undefined ? begin() : pending.then(begin)
  }
  const within: Writer['within'] = (change, transaction) => {
    change.isLast = false
    return apply(change, transaction)
  }
  const inside: Writer['inside'] = async (change, transaction) => {
    const pending = inTurn(beforehand, change, undefined)
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
    check: (change) => inTurn([gather, refuseFaulty], change, undefined),
    gather,
    refuse: refuseFaulty,
    ask,
    async lock(changes, transaction) {
      if (recomputing) {
        await recomputing.turn(changes, transaction)
        for (const change of changes) turned.add(change)
      }
      await lockRecords(changes, transaction)
    },
    follow: followDue,
    follows: (resource) => recomputing?.follows(resource) === true,
    followQuietly: async (altered, transaction, now) => recomputing?.quietly(altered, transaction, now),
    within,
    inside,
    linking,
    announce,
    settle,
    settled,
    releaseAccount: deletion.releaseAccount,
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
