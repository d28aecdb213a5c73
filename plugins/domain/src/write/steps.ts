import type { Transaction } from '@svc/store/contract'
import type { Model } from '../model/model.ts'
import { kindsOf } from '../blocks/added.ts'
import type { BlockSteps } from '../blocks/steps.ts'
import type { ChangeKind, OwnKind } from '../contract/change.ts'
import type { CrossPlan } from '../crossing/plan.ts'
import type { ApplyStep, Change, PrepareStep } from './change.ts'
import type { Recomputing } from './recompute.ts'
import { judgeBody } from './body.ts'
import { runExitHooks } from './states/hooks.ts'
import { moveState } from './states/move.ts'
import { askHandlers, assignFields } from './custom.ts'
import { computeStored, fillChanged, fillNew, fillReplaced, undelete } from './defaults.ts'
import { keepImmutable } from './immutable.ts'
import { insertRow, removeRow, type RowWrite, updateRow } from './persist.ts'
import { loadPrevious } from './previous.ts'
import { authorizeNew } from './authorize.ts'
import { keepDifferent, leaveUnreadable, returnState, takeEarlier } from './reinstate.ts'
import { createDeletion, type Deletions } from './deletion.ts'
import type { Dependents } from './dependents.ts'
import { type CheckReferences, checkUsers } from './references.ts'
import { judgeOverrides } from './overrides.ts'
import { fillNumbers } from './counters.ts'
import { checkRules } from './validation.ts'
import { acceptFields, keepOwners } from './accept.ts'
import { fillSlugs } from './slug.ts'
import { takeRaw } from './overwrite.ts'
import { checkValues, refuseFaults } from './validate.ts'
import { verifyValues } from './verify.ts'

/** The ordered steps of one kind of write. */
export interface Steps {
  /** Before the transaction: what the body alone decides. */
  readonly check: readonly PrepareStep[]
  /** Then, with secrets hashed: what others are asked. */
  readonly ask?: readonly PrepareStep[]
  /** Inside the transaction: what depends on stored records. */
  readonly apply: readonly ApplyStep[]
}

/** What the steps are made with. */
export interface StepTools {
  readonly blocks: BlockSteps
  readonly dependents: ReadonlyMap<string, Dependents>
  readonly lookUp: CheckReferences
  /** Undefined where no formula looks into other records, as is what follows from that. */
  readonly plan: CrossPlan | undefined
  readonly recomputing: Recomputing | undefined
  /** Tells the bus of a change that is committed. */
  announce(change: Change): void
}

/** The steps of every kind of write on a model. */
export interface ModelSteps {
  /** Throws for a kind that nobody owns. */
  of(change: Change): Steps
  readonly deletion: Deletions
}

/** Puts the steps of each kind of write on a model in order. */
export function orderSteps(model: Model, tools: StepTools): ModelSteps {
  const { dependents, lookUp, plan, recomputing, announce } = tools
  const { prepare, beforeWrite, afterWrite, appendOnly } = tools.blocks
  const references: ApplyStep = (change, transaction) => lookUp(change, transaction, true)
  const verify: ApplyStep = (change, transaction) => verifyValues(change, transaction, true)
  const judgeFormulas = judgeOverrides(plan)
  const preparing = prepare === undefined ? [] : [prepare]
  /** What blocks find wrong with a change that has no body. */
  const bodiless = prepare === undefined ? [] : [judgeBody(preparing)]
  const { spread, tell } = recomputing ?? {}
  /** What leaves together with a last statement is said before that; else blocks hear of a row that is there. */
  const written = ({ foresee, write }: RowWrite): readonly ApplyStep[] =>
    [
      beforeWrite,
      (change: Change, transaction: Transaction) => {
        change.record = foresee?.(change)
        change.standing = undefined
        // Only now it is known what blocks have to do with it.
        change.isLast &&= appendOnly(change)
        return change.isLast ? afterWrite(change, transaction) : undefined
      },
      write,
      spread,
      (change: Change, transaction: Transaction) =>
        change.isLast ? undefined : afterWrite(change, transaction),
      tell,
    ].filter((step) => step !== undefined)
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
  const deletion = createDeletion(dependents, {
    remove: (release) => {
      const [before, ...after] = written(removeRow)
      return [before!, release, ...after]
    },
    empty: [fillChanged, computeStored, checkRules, refuseFaults, ...written(updateRow)],
    restore: (follow) => [undelete, fillChanged, computeStored, ...written(updateRow), follow],
    join: (change, cause) => recomputing?.join(change, cause),
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
    apply: [loadPrevious, keepDifferent, leaveUnreadable, returnState, checkValues, refuseFaults, ...changed],
  }
  const added = kindsOf(model).map((kind) => [kind, reinstating] as const)
  const byKind = new Map<ChangeKind, Steps>([...Object.entries(own), ...added])
  return {
    deletion,
    of({ kind }) {
      const steps = byKind.get(kind)
      if (steps === undefined)
        throw new Error(`no block owns the kind of change '${kind}': name it in the block's 'changes'`)
      return steps
    },
  }
}
