import { type Fn, type Interval, type Item, NUMBERS, type NumberName, OWNER_NAMES } from './figures.ts'

/** A value as JSON has it. */
type Plain = number | string | boolean | null

/** The value of a column. */
export function valueOf(item: Item, name: string): Plain {
  if (name === 'owner.name') return item.ownerId === null ? null : OWNER_NAMES[item.ownerId]!
  if (name === 'doubled') return item.whole === null ? null : item.whole * 2
  return item[name as Exclude<keyof Item, 'id'>]
}

/** What values come to, in whole numbers: no sum is rounded. */
export function figureOf(fn: Fn, items: readonly Item[], name?: string): Plain {
  if (name === undefined) return items.length
  const values = items.map((one) => valueOf(one, name)).filter((value) => value !== null)
  if (fn === 'count') return values.length
  if (fn === 'countDistinct') return new Set(values).size
  const digits = NUMBERS[name as NumberName] ?? 0
  const units = () =>
    values.reduce<bigint>((sum, value) => sum + BigInt(Math.round(Number(value) * 10 ** digits)), 0n)
  if (fn === 'sum') return written(units(), digits)
  if (values.length === 0) return null
  if (fn === 'avg') return written(rounded(units() * 10n ** BigInt(6 - digits), BigInt(values.length)), 6)
  const sorted = values.toSorted(ascending)
  return sorted.at(fn === 'min' ? 0 : -1) ?? null
}

/** Half away from zero. */
function rounded(units: bigint, count: bigint): bigint {
  const [size, sign] = units < 0n ? [-units, -1n] : [units, 1n]
  return sign * ((size * 2n + count) / (count * 2n))
}

/** The number that so many units with so many digits behind the point are. */
function written(units: bigint, digits: number): number {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0')
  const at = text.length - digits
  return Number(`${units < 0n ? '-' : ''}${text.slice(0, at)}.${text.slice(at)}0`) + 0
}

/** Null first, texts by code point. */
export function ascending(one: Plain, other: Plain): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one !== 'string' || typeof other !== 'string') return Number(one) - Number(other)
  const [a, b] = [Array.from(one), Array.from(other)]
  for (let at = 0; at < Math.min(a.length, b.length); at += 1)
    if (a[at] !== b[at]) return a[at]!.codePointAt(0)! - b[at]!.codePointAt(0)!
  return a.length - b.length
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The date on which a moment falls in a zone. */
export function dateIn(at: string, zone: string): string {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  formats.set(zone, format)
  return format.format(new Date(at))
}

/** The first day of the interval that a date falls in. */
export function beginning(date: string, interval: Exclude<Interval, 'hour'>): string {
  const [year = '', month = ''] = date.split('-')
  switch (interval) {
    case 'day':
      return date
    case 'week': {
      const day = new Date(`${date}T00:00:00Z`)
      return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10)
    }
    case 'month':
      return `${year}-${month}-01`
    case 'quarter':
      return `${year}-${String(Number(month) - ((Number(month) - 1) % 3)).padStart(2, '0')}-01`
    case 'year':
      return `${year}-01-01`
  }
}

/** Items by something of each. */
export function gathered<K>(
  items: readonly Item[],
  keyOf: (one: Item) => K,
): ReadonlyMap<K, readonly Item[]> {
  const found = new Map<K, Item[]>()
  for (const one of items) found.set(keyOf(one), [...(found.get(keyOf(one)) ?? []), one])
  return found
}
