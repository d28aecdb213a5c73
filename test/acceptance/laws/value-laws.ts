import type { TestAnswer } from '../../kit/request.ts'
import { type Parameter, PATTERNS } from './queries.ts'
import type { FieldShape } from './shape.ts'
import { TEXTS, textFor } from './values.ts'
import { type Item, keysOf, type ListLaw, UNSAID, unsorted, type WholeList } from './whole-list.ts'

/** Keys of records that cannot be asked for: another route stands at their address. */
const SHADOWED = new Set<unknown>(['bulk', 'count'])
const SEARCHED = new Set(['string', 'text', 'markdown'])
const TEXT_TYPES = new Set([...SEARCHED, 'slug', 'email', 'url', 'phone', 'country', 'language', 'color'])
const UNSORTED_TYPES = new Set(['json', 'array', 'set', 'blocks', 'component', 'repeater'])

/** A field that the caller sees in the answers. */
function seenField(
  { resource, items, random }: WholeList,
  fits: (field: FieldShape) => boolean = () => true,
) {
  const fields = resource.fields.filter((field) => items.some((item) => field.name in item) && fits(field))
  return fields.length === 0 ? undefined : random.pick(fields)
}

const sorted = (keys: readonly unknown[]) => keys.map(String).toSorted()

const isIgnored = ({ body }: TestAnswer) => body?.warnings !== undefined

/** Whether a value fits a pattern: `%` is any text, `_` one character; without either, the pattern may stand anywhere. */
function isLike(value: unknown, pattern: string): boolean {
  if (typeof value !== 'string') return false
  const whole = /[%_]/.test(pattern) ? pattern : `%${pattern}%`
  const source = whole.toLowerCase().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  const meant = source.replaceAll('%', '[^]*').replaceAll('_', '[^]')
  return new RegExp(`^${meant}$`, 'u').test(value.toLowerCase())
}

/** Null before all else, text by code point, numbers and truth by size. */
function ascending(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return Number(a) - Number(b)
}

/** What a list says of values is what its items have. */
export const VALUE_LAWS = {
  async 'a value, others and none are all there is'(list) {
    const field = seenField(list, ({ computed }) => !computed)
    if (field === undefined) return UNSAID
    const value = field.values ? list.random.pick(field.values) : textFor(field.type, list.random, 0)
    const parts = list.random.chance(0.5)
      ? [['eq', value], ['ne', value]] // prettier-ignore
      : [['lt', value], ['gte', value], ['null', 'true']] // prettier-ignore
    const keys: unknown[] = []
    for (const [operator, operand] of parts) {
      const filter: Parameter = [`filter[${field.name}][${operator}]`, operand!]
      if (list.parameters.some(([name]) => name === filter[0])) return UNSAID
      const answer = await list.ask('', [...list.parameters, filter, ['limit', '1000']])
      if (answer.status !== 200 || isIgnored(answer)) return UNSAID
      keys.push(...keysOf(list, answer.body.data.items))
    }
    return [sorted(keys), sorted(keysOf(list, list.items))]
  },

  async 'like finds what fits the pattern, in any case'(list) {
    const field = seenField(list, ({ type, computed }) => TEXT_TYPES.has(type) && !computed)
    if (field === undefined) return UNSAID
    const pattern = list.random.pick(list.random.chance(0.5) ? PATTERNS : TEXTS)
    const name = `filter[${field.name}][like]`
    const answer = await list.ask('', [...unsorted(list), [name, pattern], ['limit', '1000']])
    if (answer.status !== 200 || isIgnored(answer)) return UNSAID
    const fitting = list.items.filter((item) => isLike(item[field.name], pattern))
    return [sorted(keysOf(list, answer.body.data.items)), sorted(keysOf(list, fitting))]
  },

  async 'search finds a text in every field of text'(list) {
    if (list.parameters.some(([name]) => name === 'search')) return UNSAID
    const text = list.random.pick(TEXTS.filter((one) => one !== '' && !/[%_]/.test(one)))
    const fields = list.resource.fields.filter(({ type, computed }) => SEARCHED.has(type) && !computed)
    const names = fields.map(({ name }) => name).join(',')
    const answer = await list.ask('', [...unsorted(list), ['search', text], ['limit', '1000']])
    if (isIgnored(answer)) return UNSAID
    const { body } = await list.ask('', [...unsorted(list), ['fields', names], ['limit', '1000']])
    const holds = (item: Item) =>
      fields.some(({ name }) => item[name] !== '***' && isLike(item[name], `%${text}%`))
    const fitting = (body.data.items as Item[]).filter(holds)
    return [sorted(keysOf(list, answer.body.data.items)), sorted(keysOf(list, fitting))]
  },

  async 'distinct answers the values of the list, once and ascending'(list) {
    const field = seenField(list)
    if (field === undefined) return UNSAID
    const { status, body } = await list.ask(`/distinct/${field.name}`, unsorted(list))
    if (status !== 200) return UNSAID
    const values = [...new Set(list.items.map((item) => item[field.name]))]
    return [body.data.values, values.toSorted(ascending)]
  },

  async 'an order is kept, nothing first'(list) {
    const field = seenField(list, ({ type }) => !UNSORTED_TYPES.has(type))
    if (field === undefined) return UNSAID
    const sign = list.random.pick(['', '-'])
    const sort: readonly Parameter[] = [['sort', `${sign}${field.name}`], ['limit', '1000']] // prettier-ignore
    const answer = await list.ask('', [...unsorted(list), ...sort])
    if (isIgnored(answer)) return UNSAID
    const values = (answer.body.data.items as Item[]).map((item) => item[field.name])
    const expected = values.toSorted(ascending)
    return [values, sign === '' ? expected : expected.toReversed()]
  },

  async 'fields answers a part of the same records'(list) {
    const field = seenField(list)
    if (field === undefined) return UNSAID
    const { body } = await list.ask('', [...list.parameters, ['fields', field.name], ['limit', '1000']])
    const { key } = list.resource
    return [body.data.items, list.items.map((item) => ({ [key]: item[key], [field.name]: item[field.name] }))]
  },

  async 'a record is the same alone'(list) {
    const items = list.items.filter((item) => !SHADOWED.has(item[list.resource.key]))
    if (items.length === 0) return UNSAID
    const item = list.random.pick(items)
    const { status, body } = await list.ask(`/${encodeURIComponent(String(item[list.resource.key]))}`, [])
    return status === 200 ? [body.data, item] : [status === 403 || status === 404, true]
  },
} satisfies Record<string, ListLaw>
