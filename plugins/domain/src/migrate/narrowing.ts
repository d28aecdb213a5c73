import { isDeepStrictEqual } from 'node:util'
import { commonFieldAttributes } from '../definition/schema/field.ts'
import type { Field } from '../model/field.ts'

/** What a change of a field means for the values that are stored already. */
export interface FieldChange {
  /** The two have nothing in common: the old values go, and the field starts empty. */
  readonly unrelated: boolean
  /** Why a stored value might not fit any more; empty where all of them do. */
  readonly narrows: readonly string[]
  /** Why that depends on the values: it is narrowing only where one does not fit. */
  readonly doubts: readonly string[]
  readonly becomesRequired: boolean
}

/** Compares what two versions of a field let in. */
export function compareFields(from: Field, to: Field): FieldChange {
  // A hash is no text to show, and a text no hash to compare with.
  if (
    from.compiled.type.readable !== to.compiled.type.readable ||
    Boolean(from.column) !== Boolean(to.column)
  )
    return { unrelated: true, narrows: [], doubts: [], becomesRequired: false }
  // A formula's values come anew, and what is stored of an unreadable field is not what its bounds are about.
  const isFormula = to.computed !== undefined
  const valuesCount = to.compiled.type.readable && !isFormula
  return {
    unrelated: false,
    narrows: [...(isFormula ? [] : typeChange(from, to)), ...(valuesCount ? boundChanges(from, to) : [])],
    doubts: valuesCount ? [...enumChange(from, to), ...ownAttributeChange(from, to)] : [],
    becomesRequired: to.required && !from.required,
  }
}

const ANY_TEXT = ['string', 'text', 'markdown']

/** Types that take every value of another type, apart from the types of any text, which take all. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  autoincrement: ['integer', 'bytes', 'decimal', 'float'],
  bytes: ['integer', 'decimal', 'float'],
  integer: ['decimal', 'float'],
  decimal: ['float'],
  float: ['decimal'],
  money: ['decimal', 'float'],
  percentage: ['decimal', 'float'],
  date: ['datetime', 'timestamp'],
  datetime: ['timestamp'],
  timestamp: ['datetime'],
  set: ['array', 'json'],
  array: ['json'],
  component: ['json'],
  repeater: ['json'],
  blocks: ['json'],
  media: ['uuid'],
  uuid: ['media'],
}

function typeChange(
  { compiled: { type: from } }: Field,
  { compiled: { type: to } }: Field,
): readonly string[] {
  if (from.name === to.name || ANY_TEXT.includes(to.name) || WIDER[from.name]?.includes(to.name)) return []
  return [`changes from ${from.name} to ${to.name}`]
}

type Limit = number | string | undefined

/** Bounds by name: whether the second lets less through than the first. */
const TIGHTER = {
  minLength: (from: Limit, to: Limit) => to !== undefined && (from === undefined || to > from),
  maxLength: (from: Limit, to: Limit) => to !== undefined && (from === undefined || to < from),
  min: (from: Limit, to: Limit) => to !== undefined && (from === undefined || to > from),
  max: (from: Limit, to: Limit) => to !== undefined && (from === undefined || to < from),
  pattern: (from: Limit, to: Limit) => to !== undefined && to !== from,
} as const

function boundChanges({ definition: from }: Field, { definition: to }: Field): readonly string[] {
  return (Object.keys(TIGHTER) as (keyof typeof TIGHTER)[])
    .filter((bound) => TIGHTER[bound](from[bound], to[bound]))
    .map((bound) => `${from[bound] === undefined ? 'gets' : 'has a tighter'} ${bound} (${String(to[bound])})`)
}

function enumChange({ enumeration: from }: Field, { enumeration: to }: Field): readonly string[] {
  if (to === undefined) return []
  if (from === undefined) return ['is limited to the values of an enumeration']
  const gone = [...from.values.keys()].filter((value) => !to.values.has(value))
  return gone.length === 0 ? [] : [`no longer takes ${gone.map((value) => `'${value}'`).join(', ')}`]
}

/** Attributes that types add for themselves are for their check to understand. */
function ownAttributeChange({ definition: from }: Field, { definition: to }: Field): readonly string[] {
  return Object.keys(to)
    .filter((name) => !(name in commonFieldAttributes) && !isDeepStrictEqual(from[name], to[name]))
    .map((name) => `has another '${name}'`)
}
