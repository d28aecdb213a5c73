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
  const byKey = new Map<string, ErasedRecord[]>()
  for (const record of records) {
    const key = String(record.key)
    byKey.set(key, [...(byKey.get(key) ?? []), record])
  }
  const textOf = (text: string): string => words.replace(text, ERASED)

  function of(value: Value): Value {
    if (typeof value === 'string') return textOf(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const left = value.map((one: Value) => of(one))
      return left.every((one, at) => one === value[at]) ? value : left
    }
    const entries = Object.entries(value)
    const gone = fieldsOf(value as Row, byKey)
    const left = entries.map(([name, one]): readonly [string, Value] => [
      textOf(name),
      gone.has(name) && one !== null ? erasedIn(one) : of(one),
    ])
    const isSame = left.every(([name, one], at) => name === entries[at]?.[0] && one === entries[at][1])
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

/** The erased fields of a record that stands there as an object with its key. */
function fieldsOf(value: Row, byKey: ReadonlyMap<string, readonly ErasedRecord[]>): ReadonlySet<string> {
  for (const one of Object.values(value)) {
    if (typeof one !== 'string' && typeof one !== 'number') continue
    const found = (byKey.get(String(one)) ?? []).find(
      ({ resource }) => String(value[resource.key.name] ?? '') === String(one),
    )
    if (found !== undefined) return found.fields
  }
  return NONE
}

const erasedIn = (value: Value): Value => (typeof value === 'string' ? ERASED : null)
