import type { Change, Field, Resource, Writes } from '@svc/domain/contract'
import type { Reader, Row } from '@svc/store/contract'
import { rankOf } from './compile/names.ts'
import { copyConsents, moveConsents } from './consents.ts'
import { copyRestriction, moveRestriction } from './restriction/move.ts'
import { isAnyRestricted } from './restriction/state.ts'
import type { Setting } from './setting.ts'
import { CONSENT, PSEUDONYM } from './tables.ts'
import { BY_LEFT, holdingsOfHashes, place } from './subjects/find.ts'
import { canonical, hashOf } from './subjects/identifier.ts'
import { isOfOne } from './subjects/names.ts'
import { findingOf } from './subjects/who.ts'

/** Has consents and restrictions follow a person who is known by something else from a write on. */
export interface Following {
  /** Whether consents stand under what the record of a change was known by, as far as it can be told before it is alone. */
  takes(change: Change, writes: Writes): Promise<boolean>
  /** Consents, before the row is written: whether one is in force is asked under the new name. */
  before(change: Change, writes: Writes): Promise<void>
  /** The rest; `restricted` is under what restrictions stand that the write has met. */
  after(change: Change, restricted: ReadonlySet<string>, writes: Writes): Promise<void>
}

/** A record that was known by one thing, and is known by another one. */
interface Renamed {
  readonly resource: Resource
  readonly record: Row
  readonly from: string
  readonly to: string
  /** Whether somebody who answers for personal data says that it is the same person. */
  readonly isCorrected: boolean
  /** Whether a field tells whose a record is, by its name. */
  isTelling(field: string): boolean
}

export function createFollowing(setting: Setting): Following {
  const { privacy, key, exempt, tables } = setting
  const leading = new Map<Resource, readonly Field[]>()
  for (const resource of privacy.model.resources.values()) leading.set(resource, leadingIn(resource, setting))

  /** Undefined of a record that is known as before, by nothing, or was by nothing. */
  const renamedBy = (change: Change, record: Row, secret: Uint8Array): Renamed | undefined => {
    const { resource, previous, caller } = change
    const fields = leading.get(resource) ?? []
    if (previous === undefined) return undefined
    const [before, after] = [previous, record].map((one) => hashesIn(one, fields, secret))
    const [from, to] = [before?.[0], after?.[0]]
    // What it holds still, behind another one, is seen to by what brings both together.
    if (from === undefined || to === undefined || after?.includes(from) !== false) return undefined
    const named = rankOf(privacy)
    const isTelling = (name: string) => named.isNamed(name) || fields.some((field) => field.name === name)
    return { resource, record, from, to, isCorrected: exempt.has(caller), isTelling }
  }
  /** Who writes an identifier asks first whether anybody is restricted: until the transaction ends nobody comes to be known by anything. */
  const aloneWith = (writes: Writes) => isAnyRestricted(tables, writes, true)
  const consented = new WeakSet<Change>()
  const followConsents = async (change: Change, record: Row, writes: Writes) => {
    consented.add(change)
    if (privacy.purposes.size === 0) return
    const renamed = renamedBy(change, record, await key.inside(writes))
    if (renamed === undefined) return
    const { from, to, isCorrected } = renamed
    const bearing = await consenting([from, to], setting, writes)
    if (!bearing.has(from)) return
    await aloneWith(writes)
    const { isTaken, isKept } = await othersOf(renamed, setting, writes)
    if (isCorrected) await (isKept ? copyConsents : moveConsents)(from, to, setting, writes)
    else if (!isTaken && !isKept && !bearing.has(to)) await moveConsents(from, to, setting, writes)
  }
  const followRestriction = async (change: Change, record: Row, writes: Writes) => {
    const secret = await key.inside(writes)
    const renamed = renamedBy(change, record, secret)
    if (renamed === undefined) return
    const { from, to, isCorrected } = renamed
    await aloneWith(writes)
    const { isTaken, isHeld } = await othersOf(renamed, setting, writes)
    if (!isCorrected && isTaken) return
    await (isHeld ? copyRestriction : moveRestriction)(from, to, secret, setting, writes)
  }

  return {
    async takes(change, writes) {
      if (privacy.purposes.size === 0 || change.previous === undefined || change.kind === 'delete')
        return false
      const renamed = renamedBy(change, change.next(), await key.inside(writes))
      return renamed !== undefined && (await consenting([renamed.from], setting, writes)).size > 0
    },
    before: (change, writes) =>
      change.previous === undefined || change.kind === 'delete'
        ? Promise.resolve()
        : followConsents(change, change.next(), writes),
    async after(change, restricted, writes) {
      const { record, previous } = change
      if (record === undefined) return
      if (previous !== undefined && !consented.has(change)) await followConsents(change, record, writes)
      if (previous !== undefined && restricted.size > 0) {
        const from = hashesIn(previous, leading.get(change.resource) ?? [], await key.inside(writes))[0]
        if (from !== undefined && restricted.has(from)) await followRestriction(change, record, writes)
      }
      await followFirstName(change, restricted, setting, writes)
    },
  }
}

/** The fields by which a record is known, the first of them first: those that are named, or the one that there is. */
function leadingIn(resource: Resource, { privacy }: Setting): readonly Field[] {
  const rank = rankOf(privacy)
  const all = privacy
    .personalOf(resource)
    .flatMap(({ field, identifies }) => (identifies ? [field] : []))
    .toSorted((one, other) => rank.of(one.name) - rank.of(other.name))
  const named = all.filter(({ name }) => rank.isNamed(name))
  return named.length > 0 || all.length > 1 ? named : all
}

const hashesIn = (record: Row, fields: readonly Field[], secret: Uint8Array): readonly string[] =>
  fields.flatMap((field) => {
    const value = record[field.name] ?? null
    return value === null ? [] : [hashOf(canonical(field, value), secret)]
  })

/** What other records say of the two names. */
async function othersOf(
  { resource, record, from, to, isTelling }: Renamed,
  setting: Setting,
  reader: Reader,
): Promise<{
  /** Whether somebody else is known by the new one. */
  readonly isTaken: boolean
  /** Whether somebody is known by the former one still. */
  readonly isKept: boolean
  /** Whether anything holds it still. */
  readonly isHeld: boolean
}> {
  const finding = findingOf(reader, new Uint8Array(), setting)
  const own = place({ resource: resource.name, recordId: String(record[resource.key.name]) })
  const lines = await holdingsOfHashes([from, to], finding)
  const others = lines.filter((line) => !line.isPast && place(line) !== own)
  // A record that was known by the former one too has gone the same way before.
  const alike = new Set(lines.filter(({ isPast, hash }) => isPast && hash === from).map(place))
  const tells = others.filter(({ field }) => isTelling(field) || field === BY_LEFT)
  const { pseudonyms: table } = setting.tables
  const where = { op: 'eq', column: PSEUDONYM.subjectHash, value: to } as const
  return {
    isTaken:
      tells.some((line) => line.hash === to && !alike.has(place(line))) ||
      (await reader.count({ table, where })) > 0,
    isKept: tells.some(({ hash }) => hash === from),
    isHeld: others.some(({ hash }) => hash === from),
  }
}

/**
 * Who was known by an alternate alone is known by what is named first from the write on that brings both together: what stood under
 * the alternate follows. `restricted` is under what restrictions stand that the write has met.
 */
async function followFirstName(
  { resource, record, values, previous }: Change,
  restricted: ReadonlySet<string>,
  setting: Setting,
  writes: Writes,
): Promise<void> {
  const { privacy, key } = setting
  const { primary, alternates } = privacy
  if (record === undefined || primary === undefined || alternates.length === 0) return
  const named = privacy
    .personalOf(resource)
    .filter(({ identifies, field }) => identifies && [primary, ...alternates].includes(field.name))
  const isNew = ({ name }: { readonly name: string }) =>
    Object.hasOwn(values, name) && (values[name] ?? null) !== (previous?.[name] ?? null)
  if (!named.some(({ field }) => isNew(field))) return
  const secret = await key.inside(writes)
  const hashes = named.flatMap(({ field }) => {
    const value = record[field.name] ?? null
    return value === null ? [] : [{ name: field.name, hash: hashOf(canonical(field, value), secret) }]
  })
  const first = hashes.find(({ name }) => name === primary)?.hash
  if (first === undefined) return
  const others = hashes.map(({ hash }) => hash).filter((hash) => hash !== first)
  const bearing = new Set(others.filter((hash) => restricted.has(hash)))
  if (privacy.purposes.size > 0)
    for (const hash of await consenting(others, setting, writes)) bearing.add(hash)
  for (const other of bearing)
    if (await isOfOne(other, first, findingOf(writes, secret, setting))) {
      await moveConsents(other, first, setting, writes)
      await moveRestriction(other, first, secret, setting, writes)
    }
}

/** Those of some identifiers under which consents stand. */
async function consenting(
  hashes: readonly string[],
  { tables: { consents: table } }: Setting,
  reader: Reader,
): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set()
  const columns = [CONSENT.subjectHash]
  const where = { op: 'in', column: CONSENT.subjectHash, values: hashes } as const
  const rows = await reader.select({ table, columns, where, order: [] })
  return new Set(rows.map((row) => String(row[CONSENT.subjectHash.name])))
}
