import type { Row } from '@svc/store/contract'
import { privacyErrors } from '../errors.ts'
import { unknown } from '../subjects/gather.ts'
import { type Asked, type Asker, onceAbout } from '../subjects/who.ts'
import { answerOf, detailsOf, enterErase } from './answer.ts'
import { consider, doneBefore, isKnown, lookedUp } from './consider.ts'
import { assertRemovable, perform, type Removal } from './perform.ts'
import type { Around, Wanted } from './wanted.ts'

/** Tells what an erase would do, and changes nothing but the log. */
export async function dryRun(asker: Asker, wanted: Wanted, { call, data, setting }: Around): Promise<Row> {
  const asked = await lookedUp(asker, data.reader, setting)
  const considered = await consider(asked, wanted, data.reader, data, setting)
  const done = await doneBefore(considered, wanted, data.reader, data, setting)
  if (done === undefined && !isKnown(considered, wanted)) throw unknown()
  const details = detailsOf(considered, wanted)
  if (wanted.account && asked.account !== undefined)
    await assertRemovable(asked, wanted, { call, data, setting })
  const { unresolved } = await data.forget(considered.mentions, data.reader)
  return data.write(
    call,
    async (writes) => {
      await enterErase(asked, wanted, 'dryRun', details, call, setting, writes)
      return answerOf(considered, wanted, done, unresolved)
    },
    onceAbout(asked, 'erase', wanted, call, setting),
  )
}

/** Erases what is to be erased, in one transaction; with blockers nothing is changed. */
export async function erase(asker: Asker, wanted: Wanted, around: Around): Promise<Row> {
  const { call, data, setting } = around
  // Of an erase that was done for the same key before nothing is told again.
  let told: { readonly id: string; readonly records: number } | undefined
  let removal: Removal = { afterCommit: [], afterRollback: [] }
  const writing = data.write(
    call,
    async (writes) => {
      told = undefined
      removal = { afterCommit: [], afterRollback: [] }
      // First: who writes meanwhile may wait for what an erase holds.
      if (wanted.account && asker.account !== undefined)
        await setting.accounts.settleWrites(asker.account.id, writes)
      const current = await lookedUp(asker, writes, setting)
      const considered = await consider(current, wanted, writes, data, setting)
      const before = await doneBefore(considered, wanted, writes, data, setting)
      if (before === undefined && !isKnown(considered, wanted)) throw unknown()
      if (before !== undefined) return answerOf(considered, wanted, before, [])
      const { plan } = considered
      if (plan.blockers.length > 0) {
        const { unresolved } = await data.forget(considered.mentions, writes)
        const details = detailsOf(considered, wanted)
        throw new Blocked(current, details, answerOf(considered, wanted, undefined, unresolved))
      }
      const { entry, unresolved } = await perform(considered, wanted, around, writes, removal)
      told = { id: entry.id, records: plan.changes.length }
      return answerOf(considered, wanted, entry, unresolved, false)
    },
    { many: true, ...onceAbout(asker, 'erase', wanted, call, setting) },
  )
  const answer = await writing.catch(async (error: unknown) => {
    for (const write of removal.afterRollback) await write()
    if (!(error instanceof Blocked)) throw error
    const { asked: whom, details, answer: refusal } = error
    await data.write(call, (writes) => enterErase(whom, wanted, 'blocked', details, call, setting, writes))
    throw privacyErrors.LEGAL_HOLD({ data: refusal })
  })
  for (const tell of removal.afterCommit) tell()
  if (told !== undefined) setting.erased(data.model.name, told.id, told.records)
  return answer
}

/** What is held keeps an erase from being done: nothing of it is kept, but that it was asked for. */
class Blocked extends Error {
  readonly asked: Asked
  readonly details: Row
  readonly answer: Row

  constructor(asked: Asked, details: Row, answer: Row) {
    super('what a law holds is not erased')
    this.asked = asked
    this.details = details
    this.answer = answer
  }
}
