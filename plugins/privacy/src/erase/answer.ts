import type { Unresolved } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'
import type { Row, Transaction } from '@svc/store/contract'
import { enter } from '../log.ts'
import type { Setting } from '../setting.ts'
import type { Asked } from '../subjects/who.ts'
import type { Considered } from './consider.ts'
import type { Wanted } from './wanted.ts'

/** Numbers and names of the definition, for the log. */
export const detailsOf = ({ plan }: Considered, { method }: Wanted): Row => ({
  method,
  affectedResources: plan.affectedResources.map((one) => ({ ...one })),
  blockers: plan.blockers.length,
})

/** Puts an erase on record, or what came of asking for one. */
export const enterErase = (
  { hash }: Asked,
  { reason }: Wanted,
  outcome: 'done' | 'dryRun' | 'blocked',
  details: Row,
  { caller }: Call,
  setting: Setting,
  writes: Transaction,
) => enter({ action: 'erase', subjectHash: hash, caller, reason, outcome, details }, setting, writes)

/** What is answered of an erase, by what was `done`: of a dry run, and where something is held, nothing was. */
export function answerOf(
  { asked, plan }: Considered,
  { dryRun: isDry, method, account }: Wanted,
  done: { readonly id: string; readonly at: string } | undefined,
  unresolved: readonly Unresolved[],
  alreadyErased = done !== undefined,
): Row {
  return {
    dryRun: isDry,
    method,
    affectedResources: plan.affectedResources.map((one) => ({ ...one })),
    blockers: plan.blockers.map((one) => ({ ...one })),
    account: account && asked.account ? { id: asked.account.id, action: 'remove', name: 'pseudonym' } : null,
    unresolved: unresolved.map((one) => ({ ...one })),
    ...(done && { id: done.id, erasedAt: done.at }),
    ...(done && alreadyErased && { alreadyErased: true }),
  }
}
