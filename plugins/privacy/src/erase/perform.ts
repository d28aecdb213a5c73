import type { AccountRemoving } from '@svc/auth/contract'
import type { Unresolved, Writes } from '@svc/domain/contract'
import { settleConsents } from '../consents.ts'
import { liftRestriction } from '../restriction/kept.ts'
import { noteErase } from '../restriction/state.ts'
import type { Asked } from '../subjects/who.ts'
import { detailsOf, enterErase } from './answer.ts'
import { carryOut } from './carry.ts'
import type { Carrying } from './carrying.ts'
import { leaveIndex } from './holdings.ts'
import { forgetBeside, forgetGone } from './ledgers.ts'
import { consider, type Considered } from './consider.ts'
import { type Around, retainedBy, type Wanted } from './wanted.ts'

/** What an erase has done to the account, which others hear of once that is durable, or taken back. */
export type Removal = Pick<AccountRemoving, 'afterCommit' | 'afterRollback'>

/** Does what is planned, the account last: what keeps that from going keeps all of it from being done. */
export async function perform(
  considered: Considered,
  wanted: Wanted,
  { call, data, setting }: Around,
  writes: Writes,
  removal: Removal,
): Promise<{
  readonly entry: { readonly id: string; readonly at: string }
  readonly unresolved: readonly Unresolved[]
}> {
  const { asked, gathered, plan, pseudonym, former, alias, mentions, untouched } = considered
  const { caller, requestId } = call
  const carrying: Carrying = {
    setting,
    asked,
    call,
    data,
    writes,
    at: new Date(setting.env.now()).toISOString(),
    retained: retainedBy(wanted),
    excluded: new Set(wanted.excludeResources),
    pseudonym,
    former,
  }
  await carryOut(plan.changes, carrying)
  await forgetGone(gathered, carrying)
  await forgetBeside(untouched, carrying)
  // What is kept of these records alone is gone by now, and need not be looked through.
  const { unresolved } = await data.forget(mentions, writes, writes)
  await leaveIndex(gathered, carrying)
  await settleConsents(asked.hash, call, setting, writes)
  await liftRestriction(asked.hash, setting.newId(), setting.tables, writes)
  await noteErase(setting.newId(), setting.tables, writes)
  const entry = await enterErase(asked, wanted, 'done', detailsOf(considered, wanted), call, setting, writes)
  if (wanted.account && asked.account !== undefined)
    await setting.accounts.remove({
      ...removal,
      id: asked.account.id,
      caller,
      requestId,
      transaction: writes,
      erased: { username: asked.account.username, pseudonym: alias },
    })
  await setting.scrub(writes)
  return { entry, unresolved }
}

/** Erases somebody and takes that back: throws what keeps the account from going, as the erase would. */
export async function assertRemovable(asked: Asked, wanted: Wanted, around: Around): Promise<void> {
  const { call, data, setting } = around
  const tried = new Error('tried')
  const trying = data.write(
    call,
    async (writes) => {
      const considered = await consider(asked, wanted, writes, data, setting)
      if (considered.plan.blockers.length > 0) return
      await perform(considered, wanted, around, writes, { afterCommit: [], afterRollback: [] })
      throw tried
    },
    { many: true },
  )
  await trying.catch((error: unknown) => {
    if (error !== tried) throw error
  })
}
