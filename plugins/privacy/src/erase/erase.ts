import {
  type Data,
  type Mentions,
  type Resource,
  type Unresolved,
  VERSION,
  type Writes,
} from '@svc/domain/contract'
import type { AccountRemoving } from '@svc/auth/contract'
import type { Call } from '@svc/kernel'
import type { Reader, Row } from '@svc/store/contract'
import { gather, type Gathered, unknown } from '../subjects/gather.ts'
import { settleConsents } from '../consents.ts'
import type { Method } from '../definition.ts'
import { privacyErrors } from '../errors.ts'
import { enter } from '../log.ts'
import { liftRestriction } from '../restriction/kept.ts'
import { noteErase } from '../restriction/state.ts'
import type { Setting } from '../setting.ts'
import { canonical, formsOf, hashOf } from '../subjects/identifier.ts'
import { BY_ERASE, BY_PSEUDONYM, holdingsOfRecords, place } from '../subjects/find.ts'
import { type Asked, type Asker, findingOf, onceAbout, subjectOf } from '../subjects/who.ts'
import { ENTRY, PSEUDONYM } from '../tables.ts'
import { carryOut, type Carrying, forgetBeside, forgetGone, leaveIndex } from './carry.ts'
import { holdsOn } from './holds.ts'
import { type Masks, newPseudonym } from './masks.ts'
import { mentionsOf } from './mentions.ts'
import { candidatesOf, type Plan, planErase, type PlanInput } from './plan.ts'
import { placeOf, type Referrers, referrersOf } from './referrers.ts'

/** What an erase is asked for. */
export interface Wanted {
  readonly method: Method
  readonly reason: string | undefined
  readonly retainAudit: boolean
  readonly retainHistory: boolean
  readonly excludeResources: readonly string[]
  readonly dryRun: boolean
  /** Whether the account goes with the person. */
  readonly account: boolean
}

interface Around {
  readonly call: Call
  readonly data: Data
  readonly setting: Setting
}

/** What is erased of a person, and by what. */
interface Considered {
  readonly asked: Asked
  readonly gathered: Gathered
  readonly plan: Plan
  readonly pseudonym: string | undefined
  readonly mentions: Mentions
  /** Records of the person that hold nothing personal: what is kept beside them may. */
  readonly untouched: readonly { readonly resource: Resource; readonly row: Row }[]
}

/** Tells what an erase would do, and changes nothing but the log. */
export async function dryRun(asker: Asker, wanted: Wanted, { call, data, setting }: Around): Promise<Row> {
  const asked = await lookedUp(asker, data.reader, setting)
  const considered = await consider(asked, wanted, data.reader, data, setting)
  const done = await doneBefore(considered, wanted, data.reader, setting)
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
      const current = await lookedUp(asker, writes, setting)
      const considered = await consider(current, wanted, writes, data, setting)
      const before = await doneBefore(considered, wanted, writes, setting)
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

/** What an erase has done to the account, which others hear of once that is durable, or taken back. */
type Removal = Pick<AccountRemoving, 'afterCommit' | 'afterRollback'>

/** Does what is planned, the account last: what keeps that from going keeps all of it from being done. */
async function perform(
  considered: Considered,
  wanted: Wanted,
  { call, data, setting }: Around,
  writes: Writes,
  removal: Removal,
): Promise<{
  readonly entry: { readonly id: string; readonly at: string }
  readonly unresolved: readonly Unresolved[]
}> {
  const { asked, gathered, plan, pseudonym, mentions, untouched } = considered
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
    })
  await setting.scrub(writes)
  return { entry, unresolved }
}

/** Erases somebody and takes that back: throws what keeps the account from going, as the erase would. */
async function assertRemovable(asked: Asked, wanted: Wanted, around: Around): Promise<void> {
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

async function lookedUp(asker: Asker, reader: Reader, setting: Setting): Promise<Asked> {
  return { ...asker, ...(await subjectOf(asker.identifier, reader, asker.secret, setting)) }
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

async function consider(
  asked: Asked,
  wanted: Wanted,
  reader: Reader,
  data: Data,
  setting: Setting,
): Promise<Considered> {
  const { privacy, env } = setting
  const gathered = await gather(asked, reader, setting)
  const { records } = gathered
  const roots = new Set((asked.subject?.roots ?? []).map((one) => `${one.resource}\n${one.recordId}`))
  const excluded = new Set(wanted.excludeResources)
  const candidates = candidatesOf({ privacy, method: wanted.method, records, roots, excluded })
  const referrers: Referrers =
    candidates.length === 0 ? new Map() : await referrersOf(candidates, privacy.model, reader)
  const everything = [
    ...[...records].flatMap(([resource, rows]) => [...rows.values()].map((row) => ({ resource, row }))),
    ...[...referrers.values()].flat(),
  ]
  const holds = await holdsOn(everything, privacy, reader, env.now())
  const isLasting = wanted.method === 'pseudonymize'
  const pseudonym = isLasting
    ? ((await pseudonymOf(asked, reader, setting)) ?? newPseudonym(env.randomBytes))
    : undefined
  const masks: Masks = {
    pseudonym: pseudonym ?? newPseudonym(env.randomBytes),
    key: isLasting ? asked.secret : env.randomBytes(32),
  }
  const plan = planErase({
    privacy,
    method: wanted.method,
    records,
    roots,
    ...(await marksOf(gathered, asked, reader, setting)),
    referrers,
    excluded,
    masks,
    isOwn: ownedBy(asked),
    holdsOn: (resource, row) => holds.get(placeOf(resource, row)) ?? [],
  })
  const changed = new Set(plan.changes.map(({ resource, row }) => placeOf(resource, row)))
  const untouched = [...records].flatMap(([resource, rows]) =>
    excluded.has(resource.name)
      ? []
      : [...rows.values()]
          .map((row) => ({ resource, row, place: placeOf(resource, row) }))
          .filter(({ place }) => !changed.has(place) && !holds.has(place)),
  )
  const mentions = await mentionsOf({ plan, gathered, untouched }, privacy, data, reader)
  return { asked, gathered, plan, pseudonym, mentions, untouched }
}

/** Whether a value identifies whom it is about; one that many records hold is hashed once. */
function ownedBy({ subject, secret }: Asked): PlanInput['isOwn'] {
  const known = new Map<string, boolean>()
  return ({ field }, value) => {
    const form = canonical(field, value)
    const isOwn = known.get(form) ?? subject?.own.has(hashOf(form, secret)) === true
    known.set(form, isOwn)
    return isOwn
  }
}

/** The records that bear a pseudonym already, and those that are as an erase has left them. */
async function marksOf(
  { records }: Gathered,
  { secret }: Asked,
  reader: Reader,
  setting: Setting,
): Promise<Pick<PlanInput, 'marked' | 'settled'>> {
  const [marked, settled] = [new Set<string>(), new Set<string>()]
  const finding = findingOf(reader, secret, setting)
  for (const [resource, rows] of records) {
    const lines = await holdingsOfRecords(resource, [...rows.keys()], finding, [BY_PSEUDONYM, BY_ERASE])
    for (const line of lines) {
      const version = rows.get(line.recordId)?.[VERSION.name]
      if (line.field === BY_PSEUDONYM) marked.add(place(line))
      else if (line.hash === String(version)) settled.add(place(line))
    }
  }
  return { marked, settled }
}

async function pseudonymOf(
  { hash, subject }: Asked,
  reader: Reader,
  { tables }: Setting,
): Promise<string | undefined> {
  const [row] = await reader.select({
    table: tables.pseudonyms,
    columns: [PSEUDONYM.pseudonym],
    where: { op: 'in', column: PSEUDONYM.subjectHash, values: [hash, ...(subject?.own ?? [])] },
    order: [],
    limit: 1,
  })
  return row && String(row[PSEUDONYM.pseudonym.name])
}

const isKnown = ({ asked, gathered }: Considered, { account }: Wanted): boolean =>
  (account && asked.account !== undefined) || asked.subject !== undefined || gathered.records.size > 0

/** The first erase of whom nothing is left to erase. */
async function doneBefore(
  { asked, plan, gathered }: Considered,
  wanted: Wanted,
  reader: Reader,
  { tables }: Setting,
): Promise<{ readonly id: string; readonly at: string } | undefined> {
  if (wanted.account && asked.account !== undefined) return undefined
  if (plan.changes.length > 0 || plan.blockers.length > 0) return undefined
  if ([...gathered.past.keys()].some(({ name }) => !wanted.excludeResources.includes(name))) return undefined
  const forms = formsOf(asked.identifier).map((form) => hashOf(form, asked.secret))
  const hashes = [...new Set([asked.hash, ...forms, ...(asked.subject?.own ?? [])])]
  const [row] = await reader.select({
    table: tables.log,
    columns: tables.log.columns,
    where: {
      op: 'and',
      of: [
        { op: 'in', column: ENTRY.subjectHash, values: hashes },
        { op: 'eq', column: ENTRY.action, value: 'erase' },
        { op: 'eq', column: ENTRY.outcome, value: 'done' },
      ],
    },
    order: [{ column: ENTRY.id, descending: false }],
    limit: 1,
  })
  return row && { id: String(row['id']), at: String(row['at']) }
}

const retainedBy = ({ retainAudit, retainHistory }: Wanted): Carrying['retained'] =>
  new Set([
    ...(retainAudit ? (['audit'] as const) : []),
    ...(retainHistory ? (['versions', 'history'] as const) : []),
  ])

const detailsOf = ({ plan }: Considered, { method }: Wanted): Row => ({
  method,
  affectedResources: plan.affectedResources.map((one) => ({ ...one })),
  blockers: plan.blockers.length,
})

const enterErase = (
  { hash }: Asked,
  { reason }: Wanted,
  outcome: 'done' | 'dryRun' | 'blocked',
  details: Row,
  { caller }: Call,
  setting: Setting,
  writes: Writes,
) => enter({ action: 'erase', subjectHash: hash, caller, reason, outcome, details }, setting, writes)

function answerOf(
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
    account: account && asked.account ? { id: asked.account.id, action: 'remove' } : null,
    unresolved: unresolved.map((one) => ({ ...one })),
    ...(done && { id: done.id, erasedAt: done.at }),
    ...(done && alreadyErased && { alreadyErased: true }),
  }
}
