import type { Resource } from '@svc/domain/contract'
import { AppError, errors } from '@svc/kernel'
import type { Condition, Reader, Row } from '@svc/store/contract'
import type { Privacy } from '../compile/privacy.ts'
import { HOLDING, PSEUDONYM, type Tables } from '../tables.ts'
import { formsOf, hashOf } from './identifier.ts'

/** The name under which records of somebody stand in the index who is known by a pseudonym alone. */
export const BY_PSEUDONYM = '$pseudonym'

/**
 * The name under which a record stands in the index that an erase has changed which may be asked for again, since it left some resources
 * out or remembers the person: in place of a hash it has the version that the record had then. It leads nobody to the record.
 */
export const BY_ERASE = '$erased'

/**
 * The name under which a record stands in the index that an erase has left out, and that nothing else leads the person to: by what stands
 * for the person; by what else did under `BY_LEFT_TOO`. It goes once the record leads to somebody, or names somebody, by itself.
 */
export const BY_LEFT = '$left'
export const BY_LEFT_TOO = '$left too'
const LEFT: readonly string[] = [BY_LEFT, BY_LEFT_TOO]

/** Whether a line leads to a record that holds no identifier, but was left out by an erase. */
export const isLeft = ({ field }: Pick<Holding, 'field'>): boolean => LEFT.includes(field)

/** One line of the index. */
export interface Holding {
  readonly hash: string
  readonly resource: string
  readonly recordId: string
  readonly field: string
  readonly isPast: boolean
}

/** Somebody, as far as records tell. */
export interface Subject {
  /** What stands for the person in logs and consents. */
  readonly hash: string
  /** The name of the field that the person was found by; null where no record holds an identifier of theirs. */
  readonly field: string | null
  /** The hashes of all that identifies this person and nobody else. */
  readonly own: ReadonlySet<string>
  /** The records that hold one of these now. */
  readonly roots: readonly Holding[]
  /** Records that are gone, or hold something else by now, of which ledgers may still tell. */
  readonly past: readonly Holding[]
}

export interface Finding extends Looking {
  readonly privacy: Privacy
  readonly secret: Uint8Array
}

/** What the index is looked into with. */
interface Looking {
  readonly tables: Tables
  readonly reader: Reader
}

/** How many values a condition names at once. */
export const PORTION = 500

/**
 * Whose identifier this is: fields named first are asked first, pseudonyms last. Undefined where no record holds it, or
 * ever held it. Throws CONFLICT where it is that of several people.
 */
export async function findSubject(identifier: string, finding: Finding): Promise<Subject | undefined> {
  const { secret } = finding
  const hashes = formsOf(identifier).map((form) => hashOf(form, secret))
  const pseudonym = await pseudonymOf(hashes, finding)
  return findByHashes(pseudonym === undefined ? hashes : [...hashes, hashOf(pseudonym, secret)], finding)
}

/** The same of what stands for identifiers. */
export async function findByHashes(asked: readonly string[], finding: Finding): Promise<Subject | undefined> {
  const { privacy } = finding
  const known = knownNames(privacy)
  const index = new Looked(finding)
  const all = (await index.ofHashes(asked)).filter(({ field }) => known.has(field))
  const met = firstOf(
    all.filter(({ isPast }) => !isPast),
    privacy,
  )
  if (met.length === 0) return all.length === 0 ? undefined : gone(all)
  return whole(met, index, privacy)
}

/** Whether an error says that an identifier is that of several people. */
export const isOfSeveral = (error: unknown): boolean => error instanceof AppError && error.code === 'CONFLICT'

/** Somebody of whom no record is left, though ledgers may know more. */
const gone = (past: readonly Holding[]): Subject => ({
  hash: past[0]!.hash,
  field: past[0]!.field,
  own: new Set(past.map(({ hash }) => hash)),
  roots: [],
  past,
})

const knownNames = ({ personal }: Privacy): ReadonlySet<string> =>
  new Set([
    BY_PSEUDONYM,
    ...LEFT,
    ...personal.flatMap(({ field, identifies }) => (identifies ? [field.name] : [])),
  ])

/** The lines by the first name that any has: primary, alternates in their order, others, pseudonyms. */
function firstOf(holdings: readonly Holding[], { primary, alternates }: Privacy): readonly Holding[] {
  const names = [...(primary === undefined ? [] : [primary]), ...alternates]
  for (const name of names) {
    const found = holdings.filter(({ field }) => field === name)
    if (found.length > 0) return found
  }
  const others = holdings.filter(({ field }) => field !== BY_PSEUDONYM && field !== BY_LEFT_TOO)
  return others.length > 0 ? others : holdings
}

/** What stands beside what is named first, and is the same person's. */
const BESIDE: ReadonlySet<string> = new Set([BY_PSEUDONYM, BY_LEFT_TOO])

/** All that a person is, from the lines that one identifier has led to. */
async function whole(met: readonly Holding[], index: Looked, privacy: Privacy): Promise<Subject> {
  const [{ field, hash: first }] = met as readonly [Holding, ...Holding[]]
  const isPrimary = (one: Holding) => one.field === privacy.primary || one.field === BY_LEFT
  // Several people may share an alternate; under a primary value there is one person, whoever else a record names.
  const found = new Set(
    (met.some(isPrimary)
      ? met.filter(isPrimary)
      : (await index.ofRecords(met)).filter((one) => !one.isPast && isPrimary(one))
    ).map(({ hash }) => hash),
  )
  if (found.size > 1)
    throw errors.CONFLICT({
      message: 'More than one person is known by this: name one by another identifier',
    })
  const [hash = first] = found
  const current = (await index.ofHashes([hash])).filter(({ isPast }) => !isPast)
  const named = new Set([privacy.primary, ...privacy.alternates])
  // What stands beside the primary value is the person's own, where it is one of the names that people have.
  const owners = new Set(current.filter(isPrimary).map(place))
  const lines = await index.ofRecords(current.length > 0 ? current : met)
  const own = new Set([
    hash,
    ...met.map((one) => one.hash),
    ...lines
      .filter(
        (one) => !one.isPast && owners.has(place(one)) && (named.has(one.field) || BESIDE.has(one.field)),
      )
      .map((one) => one.hash),
  ])
  const everywhere = await index.ofHashes([...own])
  const others = othersAmong(await index.ofRecords(everywhere), hash, privacy)
  const mine = everywhere.filter((one) => !others.has(place(one)))
  const seen = new Set(mine.filter(({ isPast }) => !isPast).map(place))
  return {
    hash,
    field: LEFT.includes(field) ? null : field,
    own,
    roots: mine.filter(({ isPast }) => !isPast),
    past: mine.filter((one) => one.isPast && !seen.has(place(one))),
  }
}

/** Records that hold the primary value of somebody else, or were left out as somebody else's, and are thus somebody else's. */
const othersAmong = (lines: readonly Holding[], hash: string, { primary }: Privacy): ReadonlySet<string> =>
  new Set(
    lines
      .filter((one) => !one.isPast && (one.field === primary || one.field === BY_LEFT) && one.hash !== hash)
      .map(place),
  )

/** The index as one search sees it: no line is read twice. */
class Looked {
  readonly #finding: Finding
  readonly #byHash = new Map<string, readonly Holding[]>()
  readonly #byRecord = new Map<string, readonly Holding[]>()

  constructor(finding: Finding) {
    this.#finding = finding
  }

  /** The lines of what stands for identifiers. */
  async ofHashes(hashes: readonly string[]): Promise<readonly Holding[]> {
    const known = this.#byHash
    const unknown = hashes.filter((hash) => !known.has(hash))
    if (unknown.length > 0)
      keepBy(known, unknown, ({ hash }) => hash, await holdingsOf(HOLDING.hash, unknown, this.#finding))
    return hashes.flatMap((hash) => known.get(hash) ?? [])
  }

  /** All lines of the records that some lines are about. */
  async ofRecords(lines: readonly Holding[]): Promise<readonly Holding[]> {
    const known = this.#byRecord
    const wanted = new Map(lines.map((one) => [place(one), one]))
    const byResource = new Map<string, string[]>()
    for (const [at, { resource, recordId }] of wanted) {
      if (known.has(at)) continue
      const ids = byResource.get(resource)
      if (ids === undefined) byResource.set(resource, [recordId])
      else ids.push(recordId)
    }
    for (const [resource, ids] of byResource) {
      const read = await holdingsOf(HOLDING.recordId, ids, this.#finding, resource)
      keepBy(
        known,
        ids.map((recordId) => place({ resource, recordId })),
        place,
        read,
      )
    }
    return [...wanted.keys()].flatMap((at) => known.get(at) ?? [])
  }
}

/** Keeps lines by what they were asked for; what nothing was found of is known to have none. */
function keepBy(
  known: Map<string, readonly Holding[]>,
  asked: readonly string[],
  by: (line: Holding) => string,
  lines: readonly Holding[],
): void {
  const found = new Map<string, Holding[]>(asked.map((one) => [one, []]))
  for (const line of lines) found.get(by(line))?.push(line)
  for (const [one, its] of found) known.set(one, its)
}

/** The place of a record, as one text. */
export const place = ({ resource, recordId }: Pick<Holding, 'resource' | 'recordId'>): string =>
  `${resource}\n${recordId}`

/** The lines of records of one resource; of some fields alone where these are named. */
export const holdingsOfRecords = (
  { name }: Pick<Resource, 'name'>,
  ids: readonly string[],
  finding: Looking,
  fields?: readonly string[],
): Promise<readonly Holding[]> => holdingsOf(HOLDING.recordId, ids, finding, name, fields)

/** The lines of what stands for identifiers; of some fields alone where these are named. */
export const holdingsOfHashes = (
  hashes: readonly string[],
  finding: Looking,
  fields?: readonly string[],
): Promise<readonly Holding[]> => holdingsOf(HOLDING.hash, hashes, finding, undefined, fields)

async function holdingsOf(
  column: (typeof HOLDING)['hash'],
  values: readonly string[],
  { tables, reader }: Looking,
  resource?: string,
  fields?: readonly string[],
): Promise<readonly Holding[]> {
  const found: Holding[] = []
  const table = tables.holdings
  const also = [
    ...(resource === undefined ? [] : [{ op: 'eq', column: HOLDING.resource, value: resource } as const]),
    ...(fields === undefined ? [] : [{ op: 'in', column: HOLDING.field, values: fields } as const]),
  ]
  for (let at = 0; at < values.length; at += PORTION) {
    const among: Condition = { op: 'in', column, values: values.slice(at, at + PORTION) }
    const where: Condition = { op: 'and', of: [...also, among] }
    const rows = await reader.select({ table, columns: table.columns, where, order: [] })
    found.push(...rows.map(holdingOf))
  }
  return found
}

const holdingOf = (row: Row): Holding => ({
  hash: String(row[HOLDING.hash.name]),
  resource: String(row[HOLDING.resource.name]),
  recordId: String(row[HOLDING.recordId.name]),
  field: String(row[HOLDING.field.name]),
  isPast: row[HOLDING.isPast.name] === true,
})

/** The pseudonym that somebody was given who was known by one of these hashes. */
async function pseudonymOf(
  hashes: readonly string[],
  { tables, reader }: Finding,
): Promise<string | undefined> {
  const [row] = await reader.select({
    table: tables.pseudonyms,
    columns: [PSEUDONYM.pseudonym],
    where: { op: 'in', column: PSEUDONYM.subjectHash, values: hashes },
    order: [],
    limit: 1,
  })
  return row && String(row[PSEUDONYM.pseudonym.name])
}
