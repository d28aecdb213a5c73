import { array } from './array.ts'
import type { Aspect } from './aspect.ts'
import { autoincrement } from './autoincrement.ts'
import { blocks } from './blocks.ts'
import { boolean } from './boolean.ts'
import { bytes } from './bytes.ts'
import { color } from './color.ts'
import { component } from './component.ts'
import { country } from './country.ts'
import { currency } from './currency.ts'
import { date } from './date.ts'
import { datetime } from './datetime.ts'
import { decimal } from './decimal.ts'
import { email } from './email.ts'
import type { FieldType } from './field-type.ts'
import { float } from './float.ts'
import { integer } from './integer.ts'
import { json } from './json.ts'
import { language } from './language.ts'
import { markdown } from './markdown.ts'
import { money } from './money.ts'
import { password } from './password.ts'
import { percentage } from './percentage.ts'
import { phone } from './phone.ts'
import { createRegistry, type FieldTypes } from './registry.ts'
import { repeater } from './repeater.ts'
import { set } from './set.ts'
import { slug } from './slug.ts'
import { string } from './string.ts'
import { text } from './text.ts'
import { time } from './time.ts'
import { timestamp } from './timestamp.ts'
import { timezone } from './timezone.ts'
import { token } from './token.ts'
import { url } from './url.ts'
import { uuid } from './uuid.ts'

export { FieldTypeError } from './field-type-error.ts'
export type { FieldScope, FieldTypes } from './registry.ts'

/** The field types of the engine itself. */
export const FIELD_TYPES: readonly FieldType[] = Object.freeze([
  string,
  text,
  markdown,
  slug,
  email,
  url,
  phone,
  country,
  language,
  timezone,
  color,
  currency,
  integer,
  bytes,
  autoincrement,
  decimal,
  float,
  money,
  percentage,
  boolean,
  date,
  time,
  datetime,
  timestamp,
  uuid,
  json,
  array,
  set,
  blocks,
  component,
  repeater,
  password,
  token,
])

/** The engine's field types, and the types and aspects that other plugins bring. */
export const createFieldTypes = (
  extra: readonly FieldType[] = [],
  aspects: readonly Aspect[] = [],
): FieldTypes => createRegistry([...FIELD_TYPES, ...extra], aspects)
