import {
  type AddedFunction,
  defineFunction,
  type Field,
  type Way,
  type WaySource,
} from '@svc/domain/contract'
import { didYouMean, errorAt, type Relation, type Vocabulary } from '@svc/expression/contract'
import { nearest } from '@svc/kernel'
import type { Condition, Reader, Row } from '@svc/store/contract'
import { rankOf } from '../compile/names.ts'
import { flagsOf, isPersonal } from '../compile/personal.ts'
import { PrivacyDefinition } from '../definition.ts'
import { canonical, hashOf } from '../subjects/identifier.ts'
import type { SubjectKey } from '../subjects/key.ts'
import { PORTION } from '../subjects/find.ts'
import { HOLDING, tablesOf } from '../tables.ts'
import { consentedAmong, type Consenting, isConsenting } from './standing.ts'

/** The keys of the domains by which people are found. */
export type Keys = ReadonlyMap<string, SubjectKey>

const ASKED = '~consent '
const REQUIRED = '~required '

/** `hasConsent('newsletter')`: whether the person whose identifier a record holds has consented to a purpose. */
export function consentFunction(keys: Keys): AddedFunction {
  const named = ([name]: readonly { readonly kind: string }[]): string | undefined =>
    name?.kind === 'literal' && 'value' in name && typeof name.value === 'string' ? name.value : undefined
  const isRequired = (purpose: string, { relations }: Vocabulary) =>
    relations?.has(`${REQUIRED}${purpose}`) === true
  const asked = defineFunction({
    takes: ['text'],
    gives: 'boolean',
    through: ({ args }, { relations }) => relations?.get(`${ASKED}${named(args) ?? ''}`),
    // What a purpose is that is not required is found out along a way.
    evaluate: ([purpose], _, vocabulary) => isRequired(purpose, vocabulary),
    inspect({ args, offset }, vocabulary) {
      const known = purposesIn(vocabulary)
      if (known.length === 0)
        return {
          faults: [
            errorAt(
              offset,
              "'hasConsent' needs a record that people are found by, and purposes",
              'Name it of a resource with a field that identifies, and declare privacy.consent',
            ),
          ],
        }
      const purpose = named(args)
      if (purpose === undefined)
        return { faults: [errorAt(offset, "'hasConsent' takes the name of a purpose, written out")] }
      if (isRequired(purpose, vocabulary)) return {}
      const hint = didYouMean(nearest(purpose, known)) ?? `Declared are ${known.join(', ')}`
      return { faults: [errorAt(offset, `there is no purpose '${purpose.slice(0, 60)}'`, hint)] }
    },
  })
  return { ...asked, ways: (from) => waysFrom(from, keys) }
}

const purposesIn = ({ relations }: Vocabulary): readonly string[] =>
  [...(relations?.keys() ?? [])].flatMap((name) =>
    [ASKED, REQUIRED].flatMap((prefix) => (name.startsWith(prefix) ? name.slice(prefix.length) : [])),
  )

/** The ways from a resource by whose fields people are found: one for each purpose of the domain. */
function waysFrom(from: WaySource, keys: Keys): readonly Way[] {
  const written: unknown = Object.entries(from.domain).find(([key]) => key === 'privacy')?.[1]
  const privacy = PrivacyDefinition.safeParse(written)
  if (!privacy.success || privacy.data.enabled === false) return []
  const { consent = [], subjectIdentifier: { primary, alternates = [] } = {} } = privacy.data
  const names = { primary, alternates }
  const by = identifyingIn(from, names)
  const [near] = by
  if (near === undefined || from.key.column === undefined) return []
  const domain = from.domain.name.toLowerCase()
  const consenting = { tables: tablesOf(domain), names }
  return consent.map(({ purpose, required = false }) => {
    const relation = relationOf(`${required ? REQUIRED : ASKED}${purpose}`, near, {
      ...consenting,
      from,
      by,
      purpose,
    })
    const read: Way['read'] = (records, reader) =>
      readConsenting(records, reader, { ...consenting, from, by, purpose, key: keys.get(domain) })
    return { relation, read }
  })
}

/** The fields that identify, those that are named first before the others. */
function identifyingIn({ fields }: WaySource, names: Consenting['names']): readonly Field[] {
  const rank = rankOf(names)
  return [...fields.values()]
    .filter((field) => {
      const flags = flagsOf(field)
      if (flags === undefined || !isPersonal(flags) || field.column === undefined) return false
      return flags.subjectIdentifier === true || rank.isNamed(field.name)
    })
    .toSorted((a, b) => rank.of(a.name) - rank.of(b.name))
}

interface Asking extends Consenting {
  readonly from: WaySource
  readonly by: readonly Field[]
  readonly purpose: string
}

/** The lines of the index about the first identifier that a record holds, where its person has consented. */
function relationOf(name: string, near: Field, asking: Asking): Relation {
  const { from, by, purpose, tables } = asking
  const table = tables.holdings
  const mine: Condition = {
    op: 'and',
    of: [
      { op: 'eq', column: HOLDING.resource, value: from.name },
      { op: 'eq', column: HOLDING.isPast, value: false },
    ],
  }
  const isFirst = by.map(({ name: field }, at): Condition => {
    const own: Condition = { op: 'eq', column: HOLDING.field, value: field }
    if (at === 0) return own
    const values = by.slice(0, at).map((one) => one.name)
    const among: Condition = { op: 'in', column: HOLDING.field, values }
    const earlier: Condition = {
      op: 'exists',
      table,
      on: [[HOLDING.recordId, HOLDING.recordId]],
      where: { op: 'and', of: [mine, among] },
    }
    return { op: 'and', of: [own, { op: 'not', of: earlier }] }
  })
  const where: Condition = {
    op: 'and',
    of: [mine, { op: 'or', of: isFirst }, isConsenting(purpose, asking)],
  }
  return {
    name,
    many: true,
    near: near.name,
    vocabulary: { fields: new Map() },
    join: {
      related: { table, on: [HOLDING.recordId, from.key.column!], where },
      order: [],
      columns: new Map(),
    },
  }
}

const THERE = Object.freeze([Object.freeze({ record: Object.freeze({}), neighbours: Object.freeze({}) })])
const NOBODY = Object.freeze([])

async function readConsenting(
  records: readonly Row[],
  reader: Reader,
  asking: Asking & { readonly key: SubjectKey | undefined },
): ReturnType<Way['read']> {
  const { by, purpose, key, from } = asking
  const secret = await key?.read(reader)
  if (secret === undefined) return () => NOBODY
  const isWhole = (record: Row) => by.every(({ name }) => Object.hasOwn(record, name))
  const keyOf = (record: Row) => String(record[from.key.name] ?? '')
  const indexed = await hashesOf(records.filter((one) => !isWhole(one)).map(keyOf), reader, asking)
  const hashIn = (record: Row): string | undefined => {
    if (!isWhole(record)) return indexed.get(keyOf(record))
    const field = by.find(({ name }) => (record[name] ?? null) !== null)
    const value = field && (record[field.name] ?? null)
    return field === undefined || value === undefined || value === null
      ? undefined
      : hashOf(canonical(field, value), secret)
  }
  const hashes = records.flatMap((record) => hashIn(record) ?? [])
  const found = await consentedAmong(hashes, [purpose], asking, reader)
  return (record) => (found.has(hashIn(record) ?? '') ? THERE : NOBODY)
}

/** What the index has of records of which some fields alone are at hand, by their keys. */
async function hashesOf(
  keys: readonly string[],
  reader: Reader,
  { tables: { holdings: table }, from, by }: Asking,
): Promise<ReadonlyMap<string, string>> {
  const names = by.map(({ name }) => name)
  const found = new Map<string, { readonly rank: number; readonly hash: string }>()
  for (let at = 0; at < keys.length; at += PORTION) {
    const rows = await reader.select({
      table,
      columns: table.columns,
      where: {
        op: 'and',
        of: [
          { op: 'eq', column: HOLDING.resource, value: from.name },
          { op: 'in', column: HOLDING.recordId, values: keys.slice(at, at + PORTION) },
          { op: 'eq', column: HOLDING.isPast, value: false },
        ],
      },
      order: [],
    })
    for (const row of rows) {
      const rank = names.indexOf(String(row[HOLDING.field.name]))
      const id = String(row[HOLDING.recordId.name])
      if (rank < 0 || (found.get(id)?.rank ?? names.length) <= rank) continue
      found.set(id, { rank, hash: String(row[HOLDING.hash.name]) })
    }
  }
  return new Map([...found].map(([id, { hash }]) => [id, hash]))
}
