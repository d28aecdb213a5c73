import type { Data, Mentions, Resource, Unresolved, Writes } from '@svc/domain/contract'
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
import { BY_PSEUDONYM, holdingsOfRecords } from '../subjects/find.ts'
import { type Asked, findingOf, onceAbout, subjectOf } from '../subjects/who.ts'
import { ENTRY, PSEUDONYM } from '../tables.ts'
import { carryOut, type Carrying, forgetBeside, forgetGone, leaveIndex } from './carry.ts'
import { holdsOn } from './holds.ts'
import { type Masks, newPseudonym } from './masks.ts'
import { mentionsOf } from './mentions.ts'
import { candidatesOf, type Plan, planErase } from './plan.ts'
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
export async function dryRun(asked: Asked, wanted: Wanted, { call, data, setting }: Around): Promise<Row> {
  const considered = await consider(asked, wanted, data.reader, data, setting)
  const done = await doneBefore(considered, wanted, data.reader, setting)
  if (done === undefined && !isKnown(considered, wanted)) throw unknown()
  const details = detailsOf(considered, wanted)
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
export async function erase(asked: Asked, wanted: Wanted, { call, data, setting }: Around): Promise<Row> {
  // Of an erase that was done for the same key before nothing is told again.
  let told: { readonly id: string; readonly records: number } | undefined
  let removing: AccountRemoving | undefined
  const writing = data.write(
    call,
    async (writes) => {
      told = undefined
      removing = undefined
      // What was found when the caller was judged may be another's by now.
      const now = await subjectOf(asked.identifier, writes, asked.secret, setting)
      const current: Asked = { ...asked, ...now }
      const considered = await consider(current, wanted, writes, data, setting)
      const before = await doneBefore(considered, wanted, writes, setting)
      if (before === undefined && !isKnown(considered, wanted)) throw unknown()
      if (before !== undefined) return answerOf(considered, wanted, before, [])
      const { plan } = considered
      const details = detailsOf(considered, wanted)
      if (plan.blockers.length > 0) {
        const { unresolved } = await data.forget(considered.mentions, writes)
        throw new Blocked(current, details, answerOf(considered, wanted, undefined, unresolved))
      }
      const { unresolved } = await data.forget(considered.mentions, writes, writes)
      const at = new Date(setting.env.now()).toISOString()
      const carrying: Carrying = {
        setting,
        asked: current,
        call,
        data,
        writes,
        at,
        retained: retainedBy(wanted),
        pseudonym: considered.pseudonym,
      }
      await carryOut(plan.changes, carrying)
      await forgetGone(considered.gathered, carrying)
      await forgetBeside(considered.untouched, carrying)
      if (wanted.excludeResources.length === 0) await leaveIndex(carrying)
      await settleConsents(current.hash, call, setting, writes)
      await liftRestriction(current.hash, setting.newId(), setting.tables, writes)
      await noteErase(setting.newId(), setting.tables, writes)
      const entry = await enterErase(current, wanted, 'done', details, call, setting, writes)
      if (wanted.account && current.account !== undefined) {
        const { caller, requestId } = call
        const { id } = current.account
        removing = { id, caller, requestId, transaction: writes, afterCommit: [], afterRollback: [] }
        await setting.accounts.remove(removing)
      }
      await setting.scrub(writes)
      told = { id: entry.id, records: plan.changes.length }
      return answerOf(considered, wanted, entry, unresolved, false)
    },
    { many: true, ...onceAbout(asked, 'erase', wanted, call, setting) },
  )
  const answer = await writing.catch(async (error: unknown) => {
    for (const write of removing?.afterRollback ?? []) await write()
    if (!(error instanceof Blocked)) throw error
    const { asked: whom, details, answer: refusal } = error
    await data.write(call, (writes) => enterErase(whom, wanted, 'blocked', details, call, setting, writes))
    throw privacyErrors.LEGAL_HOLD({ data: refusal })
  })
  for (const tell of removing?.afterCommit ?? []) tell()
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
    marked: await markedOf(gathered, asked, reader, setting),
    referrers,
    excluded,
    masks,
    isOwn: ({ field }, value) =>
      asked.subject?.own.has(hashOf(canonical(field, value), asked.secret)) === true,
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

/** The records that bear a pseudonym already. */
async function markedOf(
  { records }: Gathered,
  { secret }: Asked,
  reader: Reader,
  setting: Setting,
): Promise<ReadonlySet<string>> {
  const marked = new Set<string>()
  for (const [resource, rows] of records) {
    const lines = await holdingsOfRecords(resource, [...rows.keys()], findingOf(reader, secret, setting))
    for (const { field, recordId } of lines)
      if (field === BY_PSEUDONYM) marked.add(`${resource.name}\n${recordId}`)
  }
  return marked
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
  if (plan.changes.length > 0 || plan.blockers.length > 0 || gathered.past.size > 0) return undefined
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
