import type { Value } from '@svc/store/contract'
import type { Field } from '../model/field.ts'

type Present = Exclude<Value, null>

/** The value that fits `field` and is nearest to one that does not; undefined where there is none. */
export function nearest(value: Present, field: Field): Value | undefined {
  for (const candidate of candidates(value, field)) {
    const checked = field.compiled.check(candidate)
    if ('value' in checked) return checked.value
  }
  return undefined
}

/** What comes near a value, the nearest first. */
function* candidates(value: Present, field: Field): Iterable<Present> {
  if (typeof value === 'number') yield* numbers(value, field)
  if (typeof value !== 'string') return
  const { min, max, maxLength } = field.definition
  if (maxLength !== undefined) yield Array.from(value).slice(0, maxLength).join('')
  // Days and moments stand in the order of their texts.
  if (typeof min === 'string' && value < min) yield min
  if (typeof max === 'string' && value > max) yield max
}

/** The most decimal places that a number is rounded to. */
const PLACES = 10

function* numbers(value: number, { compiled }: Field): Iterable<number> {
  const { minimum, maximum } = compiled.openapi
  const least = typeof minimum === 'number' ? minimum : -Infinity
  const most = typeof maximum === 'number' ? maximum : Infinity
  const bounded = Math.min(Math.max(value, least), most)
  yield bounded
  for (let places = PLACES; places >= 0; places -= 1) {
    const unit = 10 ** places
    yield Number(bounded.toFixed(places))
    yield Math.floor(bounded * unit) / unit
    yield Math.ceil(bounded * unit) / unit
  }
}
