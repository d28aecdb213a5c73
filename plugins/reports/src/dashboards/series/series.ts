import { FORMATS, type Formats } from '@svc/expression/contract'
import type { Column, Value } from '@svc/store/contract'
import { bindingOf, conditionsOf, inScope } from '../../aggregates/ask.ts'
import type { Formula } from '../../aggregates/formula.ts'
import { beginningOf, type Interval, keyOf, zoneFor } from '../../aggregates/interval.ts'
import { measureOf, overNothing } from '../../aggregates/measure.ts'
import { type Answer, formatsIn, type WidgetAsking } from '../asking.ts'
import type { Gathered } from '../widgets/gathered.ts'
import { folded, foldOf } from './fold.ts'
import { windowOf } from './window.ts'

/** What is gathered by intervals of time. */
export interface Series extends Gathered {
  readonly date: Formula & { readonly column: Column }
  readonly interval: Interval
  readonly timezone: string | undefined
  /** How many intervals there are. */
  readonly last: number
}

/** Patterns of labels, where the usual ones would say too much. */
const PATTERNS: Readonly<Partial<Record<Interval, string>>> = {
  month: 'MMM yyyy',
  quarter: 'MMM yyyy',
  year: 'yyyy',
}

/**
 * The answer of a series; undefined where the caller may not be told. The store gathers by slots, which are put together
 * here; by the intervals themselves where that is not exact.
 */
export async function seriesOf(series: Series, asking: WidgetAsking): Promise<Answer | undefined> {
  const { measure, where, date, interval, timezone, last } = series
  const { counted, fn, formula } = measure
  const binding = bindingOf(counted, where, formula ? [formula, date] : [date], asking)
  if (binding === undefined) return undefined
  const formats = formatsIn(asking)
  const zone = timezone ?? formats.timezone
  const gathering = { interval, zone: zoneFor(date, zone) }
  const window = windowOf(
    date.column,
    { interval, zone: interval === 'hour' ? gathering.zone : zone },
    last,
    asking.now(),
  )
  const scalar = formula?.scalar(binding)
  const nothing = overNothing(fn)
  const asked = {
    query: inScope(counted),
    where: [...conditionsOf(counted, where, binding), window.rows],
  }
  const bySlots = async (): Promise<readonly Value[] | undefined> => {
    const { slots } = window
    const fold = slots && foldOf(measure, scalar, slots)
    if (fold === undefined) return undefined
    const plan = { ...asked, by: { slot: slots!.scalar }, measures: fold.measures }
    const rows = await asking.data.aggregate(counted.resource, plan, asking.asker)
    return folded(rows, fold, slots!, { count: window.keys.length, nothing })
  }
  const byIntervals = async (): Promise<readonly Value[]> => {
    const by = { group: beginningOf(date.scalar(binding), gathering) }
    const plan = { ...asked, by, measures: { value: measureOf(fn, scalar) } }
    const rows = await asking.data.aggregate(counted.resource, plan, asking.asker)
    const found = new Map(rows.map((row) => [keyOf(row['group'] ?? null, gathering), row['value'] ?? null]))
    return window.keys.map((key) => found.get(key) ?? nothing)
  }
  const values = (await bySlots()) ?? (await byIntervals())
  return {
    groups: window.keys.map((key, at) => ({
      key,
      label: labelOfKey(key, interval, formats),
      value: values[at] ?? null,
    })),
  }
}

function labelOfKey(key: string, unit: Interval, formats: Formats): string {
  if (unit === 'hour') return key.slice(11, 16)
  const pattern = PATTERNS[unit]
  return FORMATS.get('date')?.write(key, pattern === undefined ? [] : [pattern], formats, undefined) ?? key
}
