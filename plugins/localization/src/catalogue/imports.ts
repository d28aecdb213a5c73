import type { Writes } from '@svc/domain/contract'
import { column, type Condition, type Reader, type Store, type Table } from '@svc/store/contract'
import { type ByTag, type Layer, NONE } from './layers.ts'

const DOMAIN = column('domain', 'text')
const LOCALE = column('locale', 'text')
const KEY = column('key', 'text')
const TEXT = column('text', 'text')
const REVISION = column('revision', 'uuid')

/** The texts that were imported into domains: they outlive every definition. */
const texts: Table = {
  name: 'localization_texts',
  columns: [DOMAIN, LOCALE, KEY, TEXT],
  primaryKey: [DOMAIN, LOCALE, KEY],
  indexes: [],
  foreignKeys: [],
}

/** Changes with every import, by domain: what servers look at to learn of each other's. */
const revisions: Table = {
  name: 'localization_revisions',
  columns: [DOMAIN, REVISION],
  primaryKey: [DOMAIN],
  indexes: [],
  foreignKeys: [],
}

/** How many rows one statement writes or takes away. */
const BATCH = 2000

/** What one import changes of the texts of a locale; an undefined text is taken away. */
export type Changes = ReadonlyMap<string, string | undefined>

/** The imported texts of all domains: those of this server, which are those of all servers of its database soon after. */
export interface Imports {
  /** What was imported into a domain: another object once that has changed. */
  of(domain: string): Layer
  /** Reads what has changed in the database. */
  look(): Promise<void>
  /** Waits for other imports into the domain to end; what it answers is then what is there, by key. */
  begin(domain: string, locale: string, writes: Writes): Promise<ReadonlyMap<string, string>>
  /** The texts of a locale as they are stored. */
  stored(domain: string, locale: string, reader: Reader): Promise<ReadonlyMap<string, string>>
  /** Writes what changes of what `begin` has answered. */
  write(place: Place, changes: Changes, before: ReadonlyMap<string, string>, writes: Writes): Promise<void>
}

/** Whose texts are written, in which locale. */
export interface Place {
  readonly domain: string
  readonly locale: string
}

interface Held {
  readonly revision: unknown
  readonly layer: Layer
}

/** Makes the tables where they are not there yet, and reads them. */
export async function createImports(store: Store, newId: () => string): Promise<Imports> {
  await store.ensure([texts, revisions])
  const held = new Map<string, Held>()
  let looking: Promise<void> = Promise.resolve()

  const look = async (): Promise<void> => {
    const rows = await store.select({ table: revisions, columns: revisions.columns, where: ALL, order: [] })
    for (const { domain, revision } of rows) {
      const name = String(domain)
      if (held.get(name)?.revision === revision) continue
      // The revision is read first: what comes between is read again with the next look.
      held.set(name, { revision, layer: await layerOf(name, store) })
    }
  }
  await look()

  const stored: Imports['stored'] = async (domain, locale, reader) => {
    const where: Condition = { op: 'and', of: [isDomain(domain), isLocale(locale)] }
    const rows = await reader.select({ table: texts, columns: [KEY, TEXT], where, order: [] })
    return new Map(rows.map(({ key, text }) => [String(key), String(text)]))
  }
  return {
    of: (domain) => held.get(domain)?.layer ?? EMPTY,
    look: () => (looking = looking.catch(() => undefined).then(look)),
    stored,
    async begin(domain, locale, writes) {
      const values = { domain, revision: newId() }
      const made = await writes.insert({ table: revisions, values, onConflict: 'ignore' })
      const set = { revision: values.revision }
      if (made === 0) await writes.update({ table: revisions, set, where: isDomain(domain) })
      return stored(domain, locale, writes)
    },
    async write({ domain, locale }, changes, before, writes) {
      const all = [...changes]
      for (let at = 0; at < all.length; at += BATCH) {
        const some = all.slice(at, at + BATCH)
        const gone = some.flatMap(([key]) => (before.has(key) ? key : []))
        const where: Condition = {
          op: 'and',
          of: [isDomain(domain), isLocale(locale), { op: 'in', column: KEY, values: gone }],
        }
        if (gone.length > 0) await writes.remove({ table: texts, where })
        const rows = some.flatMap(([key, text]) =>
          text === undefined ? [] : { domain, locale: locale.toLowerCase(), key, text },
        )
        if (rows.length > 0) await writes.insertRows({ table: texts, rows })
      }
    },
  }
}

const ALL: Condition = { op: 'always' }
const isDomain = (domain: string): Condition => ({ op: 'eq', column: DOMAIN, value: domain })
const isLocale = (locale: string): Condition => ({ op: 'eq', column: LOCALE, value: locale.toLowerCase() })

const EMPTY: Layer = { of: () => NONE, keys: () => [] }

async function layerOf(domain: string, reader: Reader): Promise<Layer> {
  const rows = await reader.select({
    table: texts,
    columns: texts.columns,
    where: isDomain(domain),
    order: [{ column: LOCALE, descending: false }],
  })
  const byKey = new Map<string, Map<string, string>>()
  for (const { key, locale, text } of rows) {
    const known = byKey.get(String(key)) ?? new Map<string, string>()
    byKey.set(String(key), known.set(String(locale), String(text)))
  }
  return {
    of: (key: string): ByTag => byKey.get(key) ?? NONE,
    keys: () => byKey.keys(),
  }
}
