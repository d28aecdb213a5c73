import type { Row, Value } from '@svc/store/contract'
import type { ErasedRecord, Mentions } from '../contract/mentions.ts'

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
  const pattern = wordsIn(values)
  const doubt = wordsIn(doubtful)
  const byKey = new Map<string, ErasedRecord[]>()
  for (const record of records) {
    const key = String(record.key)
    byKey.set(key, [...(byKey.get(key) ?? []), record])
  }
  const textOf = (text: string): string =>
    pattern === undefined ? text : text.replace(pattern, (_, before: string) => `${before}${ERASED}`)

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
    if (doubt === undefined || value === null) return false
    if (typeof value === 'string') return value.search(doubt) >= 0
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

/** Any of these where no letter or digit goes on before or after it; undefined of none. */
function wordsIn(values: readonly string[]): RegExp | undefined {
  if (values.length === 0) return undefined
  const longestFirst = [...new Set(values)].toSorted((one, other) => other.length - one.length)
  const words = longestFirst.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`))
  return new RegExp(String.raw`(^|[^\p{L}\p{N}])(?:${words.join('|')})(?![\p{L}\p{N}])`, 'giu')
}
