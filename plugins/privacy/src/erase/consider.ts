import { type Data, type Mentions, VERSION } from '@svc/domain/contract'
import type { Reader } from '@svc/store/contract'
import type { Setting } from '../setting.ts'
import { BY_ERASE, BY_PSEUDONYM, holdingsOfRecords, isLeft, place } from '../subjects/find.ts'
import { gather, type Gathered } from '../subjects/gather.ts'
import { canonical, formsOf, hashOf } from '../subjects/identifier.ts'
import { type Asked, type Asker, findingOf, subjectOf } from '../subjects/who.ts'
import { ENTRY, PSEUDONYM } from '../tables.ts'
import { holdsOn } from './holds.ts'
import { isLeftBehind, LEDGERS } from './left-behind.ts'
import type { Forgotten } from './made.ts'
import { type Masks, newPseudonym } from './masks.ts'
import { mentionsOf } from './mentions.ts'
import { candidatesOf, type Plan, planErase, type PlanInput } from './plan.ts'
import { placeOf, type Referrers, referrersOf } from './referrers.ts'
import { retainedBy, type Wanted } from './wanted.ts'

/** What is erased of a person, and by what. */
export interface Considered {
  readonly asked: Asked
  readonly gathered: Gathered
  readonly plan: Plan
  /** Undefined of an erase of which nothing is remembered. */
  readonly pseudonym: string | undefined
  /** The one that an earlier erase has remembered the person by. */
  readonly former: string | undefined
  /** What stands in place of the person's name: that, or one that is thrown away. */
  readonly alias: string
  readonly mentions: Mentions
  /** Records of the person of which nothing changes: what is kept beside them may. */
  readonly untouched: readonly Forgotten[]
}

/** Whom an erase is about, as a reader finds them. */
export async function lookedUp(asker: Asker, reader: Reader, setting: Setting): Promise<Asked> {
  return { ...asker, ...(await subjectOf(asker.identifier, reader, asker.secret, setting)) }
}

/** Finds what is there of a person, and decides what becomes of it. */
export async function consider(
  asked: Asked,
  wanted: Wanted,
  reader: Reader,
  data: Data,
  setting: Setting,
): Promise<Considered> {
  const { privacy, env } = setting
  const gathered = await gather(asked, reader, setting)
  const { records } = gathered
  const holding = (asked.subject?.roots ?? []).filter((one) => !isLeft(one))
  const roots = new Set(holding.map(place))
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
  const former = await pseudonymOf(asked, reader, setting)
  const pseudonym = isLasting ? (former ?? newPseudonym(env.randomBytes)) : undefined
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
  const beside = new Map(plan.beside.map((one) => [placeOf(one.resource, one.row), one.erased]))
  const changed = new Set(plan.changes.map(({ resource, row }) => placeOf(resource, row)))
  for (const place of beside.keys()) changed.delete(place)
  const untouched = [...records].flatMap(([resource, rows]) =>
    excluded.has(resource.name)
      ? []
      : [...rows.values()]
          .map((row) => ({ row, place: placeOf(resource, row) }))
          .filter(({ place }) => !changed.has(place) && (beside.has(place) || !holds.has(place)))
          .map(({ row, place }) => ({ resource, row, erased: beside.get(place) ?? new Set<string>() })),
  )
  const found = await mentionsOf({ plan, gathered, untouched }, privacy, data, reader)
  const mentions = { ...found, retained: retainedBy(wanted) }
  return { asked, gathered, plan, pseudonym, former, alias: masks.pseudonym, mentions, untouched }
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

/** By the identifier too, which nothing holds any more of somebody who was pseudonymized. */
async function pseudonymOf(
  { identifier, secret, hash, subject }: Asked,
  reader: Reader,
  { tables }: Setting,
): Promise<string | undefined> {
  const forms = formsOf(identifier).map((form) => hashOf(form, secret))
  const values = [...new Set([hash, ...forms, ...(subject?.own ?? [])])]
  const [row] = await reader.select({
    table: tables.pseudonyms,
    columns: [PSEUDONYM.pseudonym],
    where: { op: 'in', column: PSEUDONYM.subjectHash, values },
    order: [],
    limit: 1,
  })
  return row && String(row[PSEUDONYM.pseudonym.name])
}

/** Whether there is anything to erase, or ever was. */
export const isKnown = ({ asked, gathered }: Considered, { account }: Wanted): boolean =>
  (account && asked.account !== undefined) || asked.subject !== undefined || gathered.records.size > 0

/** The first erase of whom nothing is left to erase. */
export async function doneBefore(
  { asked, plan, gathered, untouched }: Considered,
  wanted: Wanted,
  reader: Reader,
  data: Data,
  { tables, privacy }: Setting,
): Promise<{ readonly id: string; readonly at: string } | undefined> {
  if (wanted.account && asked.account !== undefined) return undefined
  if (plan.changes.length > 0 || plan.blockers.length > 0) return undefined
  if ([...gathered.past.keys()].some(({ name }) => !wanted.excludeResources.includes(name))) return undefined
  const retained = retainedBy(wanted)
  const ledgers = LEDGERS.filter((one) => !retained.has(one))
  const forgotten = untouched.filter(({ erased }) => erased.size > 0)
  if (await isLeftBehind(forgotten, ledgers, privacy, { data, reader })) return undefined
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
