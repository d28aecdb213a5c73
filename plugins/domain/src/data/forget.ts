import {
  columnAt,
  type Column,
  type Condition,
  fragment,
  openValue,
  type Operator,
  type Reader,
  type Row,
  sealValue,
  type Table,
  valueAt,
  type Value,
} from '@svc/store/contract'
import type { Forget, Mentioning, Mentions, Unresolved } from '../contract/mentions.ts'
import type { Model } from '../model/model.ts'
import { codecOf } from '../operations/idempotent.ts'
import { type TakingOut, takingOut } from './taken-out.ts'

/** Rows that are read at once. */
const BATCH = 500
/** Words that one statement looks for, and how many of them the store looks for at all. */
const WORDS = 60
const FEW = 2 * WORDS
/** No more is told of one kind than a person can look at. */
const MOST_TOLD = 200

/** A text that stands in a column as it is, of texts or of JSON. */
const STANDS_IN: Operator = {
  name: 'standsIn',
  writings: [
    {
      needs: 'skipLocked',
      sql: fragment`position(lower(${valueAt(0)}::text) in lower(${columnAt(0)}::text)) > 0`,
    },
    { sql: fragment`instr(svc_lower(${columnAt(0)}), svc_lower(${valueAt(0)})) > 0` },
  ],
}

/** Looks for what is to be forgotten in all that may speak of records of a model, the engine's own tables among it. */
export const forgetIn =
  (model: Model, all: readonly Mentioning[]): Forget =>
  async (mentions, reader, writes) => {
    if (mentions.records.length === 0) return { rows: 0, unresolved: [] }
    const taking = takingOut(mentions)
    const erased = keysOf(mentions)
    const unresolved: Unresolved[] = []
    let rows = 0
    const words = wordsOf(mentions)
    for (const mentioning of all) {
      const found = new Map<string, string>()
      for (const which of searchesFor(words, mentioning, model))
        for await (const batch of rowsOf(mentioning, which, reader)) {
          const changed: Row[] = []
          for (const row of batch) {
            if (isAbout(row, mentioning, erased)) continue
            const left = leftOf(row, mentioning, taking, model)
            const reason = reasonOf(left, mentioning)
            if (reason !== undefined && found.size < MOST_TOLD) found.set(idOf(row, mentioning.table), reason)
            if (left.set === undefined) continue
            changed.push({
              ...keyIn(row, mentioning.table),
              ...left.set,
              ...mentioning.settle?.(row, left.set),
            })
          }
          rows += changed.length
          await writes?.updateRows({ table: mentioning.table, rows: changed })
        }
      const { kind } = mentioning
      for (const [id, reason] of found)
        if (!unresolved.some((one) => one.kind === kind && one.id === id))
          unresolved.push({ kind, id, reason })
    }
    for (const { part } of model.parts)
      unresolved.push(...((await part.unresolving?.(mentions, reader)) ?? []))
    return { rows, unresolved }
  }

interface LeftOver {
  /** What the columns hold without it; undefined where nothing was there. */
  readonly set: Row | undefined
  readonly isDoubtful: boolean
}

function leftOf(row: Row, mentioning: Mentioning, taking: TakingOut, model: Model): LeftOver {
  const set: Record<string, Value> = {}
  let isDoubtful = false
  for (const column of mentioning.columns) {
    const kept = row[column.name] ?? null
    const value = openedOf(kept, column, mentioning, model)
    if (value === undefined || value === null) continue
    const left = taking.of(value)
    if (taking.isDoubtful(left)) isDoubtful = true
    if (left !== value) set[column.name] = closedOf(left, kept, column, mentioning, model)
  }
  return { set: Object.keys(set).length === 0 ? undefined : set, isDoubtful }
}

const openedOf = (kept: Value, column: Column, { open }: Mentioning, model: Model): Value | undefined =>
  open === undefined ? openValue({ codec: codecOf(model) }, kept) : open(kept, column)

function closedOf(value: Value, kept: Value, column: Column, { close }: Mentioning, model: Model): Value {
  if (close !== undefined) return close(value, kept, column)
  const isSealed = openValue({}, kept) !== kept
  return isSealed ? sealValue({ codec: codecOf(model) }, value) : value
}

function reasonOf({ set, isDoubtful }: LeftOver, { rest }: Mentioning): string | undefined {
  if (set !== undefined && rest !== undefined) return rest
  return isDoubtful ? 'It has a value of the person that may be meant of somebody else' : undefined
}

/** The keys of records that are erased, by the names of their resources. */
type ErasedKeys = ReadonlyMap<string, ReadonlySet<string>>

function keysOf({ records }: Mentions): ErasedKeys {
  const keys = new Map<string, Set<string>>()
  for (const { resource, key } of records) {
    const known = keys.get(resource.name) ?? new Set<string>()
    keys.set(resource.name, known.add(String(key)))
  }
  return keys
}

function isAbout(row: Row, { about }: Mentioning, erased: ErasedKeys): boolean {
  if (about === undefined) return false
  const { resource, recordId } = about
  const name = 'fields' in resource ? resource.name : String(row[resource.name])
  return erased.get(name)?.has(String(row[recordId.name] ?? null)) === true
}

/** What a row has to have in it: words as they stand in JSON, too. */
const wordsOf = ({ records, values, doubtful }: Mentions): readonly string[] => {
  const words = [...records.map(({ key }) => String(key)), ...values, ...doubtful]
  return [...new Set(words.flatMap((word) => [word, JSON.stringify(word).slice(1, -1)]))]
}

/**
 * The conditions under which rows are read. Many words would have the store read its table for each handful of them: it is read once
 * and looked through here then, as it is where the store cannot look into it.
 */
function searchesFor(words: readonly string[], mentioning: Mentioning, model: Model): readonly Condition[] {
  if (words.length > FEW || !canSearch(mentioning, model)) return [mentioning.where ?? { op: 'always' }]
  const searches: Condition[] = []
  for (let at = 0; at < words.length; at += WORDS)
    searches.push(whichOf(mentioning, words.slice(at, at + WORDS)))
  return searches
}

/** Sealed values are opened one by one: the store cannot look into them. */
const canSearch = ({ open }: Mentioning, model: Model): boolean =>
  open === undefined && codecOf(model) === undefined

function whichOf({ columns, where }: Mentioning, words: readonly string[]): Condition {
  const own: Condition = where ?? { op: 'always' }
  const of = columns.flatMap((column) =>
    words.map((word): Condition => ({
      op: 'custom',
      operator: STANDS_IN,
      columns: [column],
      values: [word],
    })),
  )
  return { op: 'and', of: [own, { op: 'or', of }] }
}

/** The rows in the order of their keys. */
async function* rowsOf(
  { table, columns, about, read = [] }: Mentioning,
  which: Condition,
  reader: Reader,
): AsyncIterable<readonly Row[]> {
  const named = about === undefined ? [] : [about.recordId, about.resource]
  const own = named.filter((one): one is Column => !('fields' in one))
  const all = new Set([...table.primaryKey, ...columns, ...own, ...read])
  const order = table.primaryKey.map((column) => ({ column, descending: false }))
  let where = which
  for (;;) {
    const rows = await reader.select({ table, columns: [...all], where, order, limit: BATCH })
    yield rows
    const last = rows.at(-1)
    if (rows.length < BATCH || last === undefined) return
    where = { op: 'and', of: [which, afterRow(last, table)] }
  }
}

const keyed = (row: Row, { name }: Column) => row[name] as Exclude<Value, null>

const afterRow = (row: Row, { primaryKey }: Table): Condition => ({
  op: 'or',
  of: primaryKey.map((column, at) => ({
    op: 'and',
    of: [
      ...primaryKey
        .slice(0, at)
        .map((before): Condition => ({ op: 'eq', column: before, value: keyed(row, before) })),
      { op: 'gt', column, value: keyed(row, column) },
    ],
  })),
})

const keyIn = (row: Row, { primaryKey }: Table): Row =>
  Object.fromEntries(primaryKey.map((column) => [column.name, keyed(row, column)]))

const idOf = (row: Row, { primaryKey }: Table): string =>
  primaryKey.map((one) => String(row[one.name])).join('/')
