import type { Row, Value } from '@svc/store/contract'
import type { ErasedRecord, Mentions } from '../contract/mentions.ts'
import { createWords } from './words.ts'

/** What stands in place of a value that is erased. */
export const ERASED = '[erased]'

/** Takes what is to be forgotten out of values. */
export interface TakingOut {
  /** The value without it: the same object where there was nothing. */
  of(value: Value): Value
  /** Whether something stands there that others may have said too. */
  isDoubtful(value: Value): boolean
}

/** Makes what takes mentions out. */
export function takingOut({ records, values, doubtful }: Mentions): TakingOut {
  const words = createWords(values)
  const doubt = createWords(doubtful)
  const erased = erasedByKey(records)
  const textOf = (text: string): string => words.replace(text, ERASED)

  function of(value: Value): Value {
    if (typeof value === 'string') return textOf(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const left = value.map((one: Value) => of(one))
      return left.every((one, at) => one === value[at]) ? value : left
    }
    const gone = fieldsOf(value as Row, erased)
    let isSame = true
    const left: [string, Value][] = []
    for (const [name, one] of Object.entries(value)) {
      const kept = gone.has(name) && one !== null ? erasedIn(one) : of(one)
      const called = textOf(name)
      isSame &&= kept === one && called === name
      left.push([called, kept])
    }
    return isSame ? value : Object.fromEntries(left)
  }

  function isDoubtful(value: Value): boolean {
    if (doubtful.length === 0 || value === null) return false
    if (typeof value === 'string') return doubt.stand(value)
    return typeof value === 'object' && Object.values(value).some((one: Value) => isDoubtful(one))
  }
  return { of, isDoubtful }
}

const NONE: ReadonlySet<string> = new Set()

/** The fields that go of each record, by the name of the field that records of its resource have their keys in. */
type ErasedByKey = ReadonlyMap<string, ReadonlyMap<string, ErasedRecord['fields']>>

function erasedByKey(records: readonly ErasedRecord[]): ErasedByKey {
  const byKey = new Map<string, Map<string, ErasedRecord['fields']>>()
  for (const { resource, key, fields } of records) {
    const { name } = resource.key
    const known = byKey.get(name) ?? new Map<string, ErasedRecord['fields']>()
    byKey.set(name, known)
    // Nobody says of which resource an object is: where two have the same key, it may be either.
    const others = known.get(String(key))
    known.set(String(key), others === undefined ? fields : new Set([...others, ...fields]))
  }
  return byKey
}

/** The erased fields of a record that stands there as an object with its key. */
function fieldsOf(value: Row, erased: ErasedByKey): ReadonlySet<string> {
  for (const [name, byKey] of erased) {
    const key = value[name]
    if (typeof key !== 'string' && typeof key !== 'number') continue
    const found = byKey.get(String(key))
    if (found !== undefined) return found
  }
  return NONE
}

const erasedIn = (value: Value): Value => (typeof value === 'string' ? ERASED : null)
