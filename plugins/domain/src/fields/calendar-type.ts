import type { Value } from '@svc/store/contract'
import { rangeRules } from './check/bounds.ts'
import type { BareKey } from '../speech/sentences.ts'
import { refusal } from './check/rule.ts'
import type { FieldType, Schema } from './field-type.ts'
import { scalarType } from './scalar-type.ts'

/** What one type of day or time has for itself. */
export interface CalendarOptions {
  readonly name: 'date' | 'time' | 'datetime' | 'timestamp'
  readonly column: 'date' | 'time' | 'datetime'
  /** Says what a text of another form should be. */
  readonly sentence: BareKey
  readonly openapi: Schema
  /** The text in stored form, whose order is the order of time. */
  read(text: string): string | undefined
}

const NO_TEXT = refusal('type.text')

/** A field type of days, times of day or moments. */
export function calendarType({ name, column, sentence, openapi, read }: CalendarOptions): FieldType {
  const malformed = refusal(sentence)
  const readBound = (bound: Value) => (typeof bound === 'string' ? read(bound) : undefined)
  return scalarType<string>({
    name,
    column,
    uses: ['min', 'max'],
    operators: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null'],
    read: (value) => (typeof value === 'string' ? (read(value) ?? malformed) : NO_TEXT),
    rules: (definition) => rangeRules(definition, readBound, sentence),
    parseText: read,
    openapi: () => openapi,
  })
}
