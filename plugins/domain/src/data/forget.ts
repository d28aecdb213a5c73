import type { Row, Table, Value } from '@svc/store/contract'
import type { Forget, Mentioning, Mentions, Unresolved } from '../contract/mentions.ts'
import type { Model } from '../model/model.ts'
import { closedOf, keyIn, openedOf, rowsOf, searchFor } from './searched.ts'
import { type TakingOut, takingOut } from './taken-out.ts'

/** No more is told of one kind than a person can look at. */
const MOST_TOLD = 200

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
      if (mentioning.told !== undefined && mentions.retained?.has(mentioning.told) === true) continue
      const found = new Map<string, string>()
      for await (const batch of rowsOf(mentioning, searchFor(words, mentioning, model), reader)) {
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

const idOf = (row: Row, { primaryKey }: Table): string =>
  primaryKey.map((one) => String(row[one.name])).join('/')
