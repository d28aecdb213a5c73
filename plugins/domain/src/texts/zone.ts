import { dateIn, timeIn } from '@svc/expression/contract'
import type { Value } from '@svc/store/contract'
import type { Field } from '../model/field.ts'

/** A value on its way into a field: a point in time that meets a date or a time becomes that of an IANA zone. */
export function inZone(value: Value, { compiled }: Pick<Field, 'compiled'>, zone: string): Value {
  const { column } = compiled.type
  // A text without a time of day is no point in time, and stays what it is.
  const time = column === 'date' || column === 'time' ? timeIn(value, zone) : undefined
  if (time === undefined) return value
  return column === 'time' ? time : (dateIn(value, zone) ?? value)
}
