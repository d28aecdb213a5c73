import type { Model } from '@svc/domain/contract'
import { textsOfPattern } from './text-of-pattern.ts'

/** A field of a definition, as its author wrote it. */
export interface Written {
  readonly type?: string | undefined
  readonly [attribute: string]: unknown
}
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** What a field stands in. */
interface Around {
  readonly model: Model
  /** How many lists and objects the field is inside of. */
  readonly depth: number
}

/** Examples are short: fields that ask for more go without one, and none grows with what lists of lists multiply. */
const MAX_TEXT = 2000
const MAX_ITEMS = 10
const MAX_DEPTH = 4

/** Values that may fit a field, the best first: whoever takes one checks it. */
export const likelyValues = (written: Written, model: Model): readonly Json[] =>
  likely(written, { model, depth: 0 })

function likely(written: Written, around: Around): readonly Json[] {
  const values = valuesOf(written, around.model)
  if (values !== undefined) return values
  const patterns = typeof written['pattern'] === 'string' ? textsOfPattern(written['pattern']) : []
  const make = MAKERS[written.type ?? 'string'] ?? MAKERS['string']!
  return [...patterns, ...make(written, around)]
}

/** The values of an enumeration; undefined where the field has none. */
function valuesOf({ enum: named }: Written, { enums }: Model): readonly Json[] | undefined {
  if (typeof named === 'string') return [...(enums.get(named)?.values.keys() ?? [])]
  return Array.isArray(named) ? named.filter((value) => typeof value === 'string') : undefined
}

type Maker = (written: Written, around: Around) => readonly Json[]

const always =
  (...values: readonly Json[]): Maker =>
  () =>
    values

/** Numbers: the usual one, the bounds, and what turns a condition round. */
const numbers =
  (usual: number): Maker =>
  ({ min, max }) => [usual, ...[min, max].filter((bound) => typeof bound === 'number'), 0, 2, -1]

/** Times: one that is past, the bounds, and one that is far ahead. */
const times =
  (past: string, ahead: string): Maker =>
  ({ min, max }) => [past, ...[min, max].filter((bound) => typeof bound === 'string'), ahead]

const words: Maker = ({ minLength, maxLength }) => {
  const least = typeof minLength === 'number' ? minLength : 0
  if (least > MAX_TEXT) return []
  const most = typeof maxLength === 'number' ? maxLength : Infinity
  const long = 'Example text '.repeat(Math.ceil(least / 13) + 1)
  const fitting = long.slice(0, Math.min(Math.max(least, 12), most)).trimEnd()
  return [fitting, 'x'.repeat(Math.max(least, 1))]
}

const passwords: Maker = ({ minLength, maxLength }) => {
  const least = Math.max(typeof minLength === 'number' ? minLength : 0, 15)
  const most = typeof maxLength === 'number' ? maxLength : least
  if (least > MAX_TEXT) return []
  return ['Correct-horse-7'.repeat(Math.ceil(least / 15)).slice(0, Math.min(least, most))]
}

const object: Maker = ({ fields }, around) => [members(fields, around) ?? { key: 'value' }]

const list =
  (item: Maker): Maker =>
  (written, around) => {
    const least = typeof written['minItems'] === 'number' ? Math.max(written['minItems'], 1) : 1
    if (least > MAX_ITEMS) return []
    const items = around.depth < MAX_DEPTH ? item(written, inside(around)) : []
    const different = Array.from({ length: least }, (_, at) => items[at] ?? numbered(items[0], at))
    return [different.filter((one) => one !== undefined), []]
  }

const inside = ({ model, depth }: Around): Around => ({ model, depth: depth + 1 })

const numbered = (value: Json | undefined, at: number): Json | undefined =>
  typeof value === 'string' ? `${value} ${at + 1}` : typeof value === 'number' ? value + at : value

const ofItems: Maker = ({ items }, around) => {
  const inner = written(items)
  return inner === undefined ? ['Example text'] : likely(inner, around)
}

const ofBlocks: Maker = (_, around) =>
  Object.entries(around.model.definition.blocks ?? {})
    .slice(0, 1)
    .map(([type, { fields }]) => ({ type, data: members(fields, around) ?? {} }))

/** An object with a value for each member. */
function members(fields: unknown, around: Around): Json | undefined {
  if (typeof fields !== 'object' || fields === null) return undefined
  if (around.depth >= MAX_DEPTH) return {}
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    const inner = written(field)
    const [value] = inner === undefined ? [] : likely(inner, inside(around))
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

const isObject = (value: unknown): value is Written => typeof value === 'object' && value !== null

const written = (field: unknown): Written | undefined =>
  typeof field === 'string' ? { type: field } : isObject(field) ? field : undefined

/** A UUID that stands for one that the reader puts in. */
export const SOME_UUID = '01890a5d-ac96-774b-bcce-b302099a8057'

const integers = numbers(1)
const decimals = numbers(1.5)
const flags = always(true, false)

/** What each built-in type of field takes, by its names; a type of a plugin brings an example of its own. */
const MAKERS: Readonly<Record<string, Maker>> = {
  string: words,
  text: words,
  markdown: words,
  md: words,
  slug: always('example', 'x'),
  email: always('name@example.org', 'a@b.co'),
  url: always('https://example.org/', 'https://b.co'),
  phone: always('+441174960123'),
  country: always('GB'),
  language: always('en'),
  timezone: always('Europe/London', 'UTC'),
  color: always('#2563EB', '#26E'),
  currency: always('EUR'),
  password: passwords,
  integer: integers,
  int: integers,
  bytes: numbers(1024),
  decimal: decimals,
  number: decimals,
  float: decimals,
  double: decimals,
  money: numbers(9.9),
  percentage: numbers(10),
  boolean: flags,
  bool: flags,
  date: times('2024-05-17', '2099-05-17'),
  time: times('09:30', '18:00'),
  datetime: times('2024-05-17T09:30:00.000Z', '2099-05-17T09:30:00.000Z'),
  timestamp: times('2024-05-17T09:30:00.000Z', '2099-05-17T09:30:00.000Z'),
  uuid: always(SOME_UUID),
  json: object,
  component: object,
  repeater: list(object),
  array: list(ofItems),
  set: list(ofItems),
  blocks: list(ofBlocks),
}
