import { pickWeighted, type Random, type Weighted } from '../../kit/random.ts'
import type { FieldShape, ResourceShape } from './shape.ts'
import { MISFITS, TEXTS, textFor } from './values.ts'

const OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'like', 'in', 'null', 'near', '']
const ODD_NUMBERS = [
  '0', '-1', '1001', '9007199254740991', '99999999999999999999', '1.5', '1e3', 'ten', '', ' 1', '+1', '٣',
] // prettier-ignore
const ODD_NAMES = [
  'nonsense', 'id', '', '__proto__', 'constructor', 'password_hash', 'ID', 'a.b', 'created_at', '"', '$v',
] // prettier-ignore
/** Patterns of `like`, with the signs that other pattern languages know. */
export const PATTERNS = [
  '%', '_', '%a%', 'é_an', 'ÉL%', '\\', '\\%', '%\\', 'a\\_b', '[a]', '%%', '*', 'İ', 'ss', 'ΣΊΣΥΦΟΣ', '_lan', "'",
] // prettier-ignore

export type Parameter = readonly [name: string, value: string]

/** Makes the parameters of a list query, from the resource's fields, relationships and scopes. */
export function parametersFor(resource: ResourceShape, random: Random, wild: number): readonly Parameter[] {
  const { fields } = resource
  const field = (): FieldShape => random.pick(fields)
  const odd = () => random.chance(wild / 2)
  const name = () => (odd() ? random.pick(ODD_NAMES) : field().name)
  const names = (of: () => string, sign = '') =>
    Array.from({ length: 1 + random.int(3) }, () => (random.chance(0.5) ? sign : '') + of()).join(',')
  const number = (most: number) => (odd() ? random.pick(ODD_NUMBERS) : String(1 + random.int(most)))
  const known = (list: readonly string[]) =>
    list.length === 0 || odd() ? random.pick(ODD_NAMES) : random.pick(list)

  const kinds: Weighted<() => Parameter> = [
    [3, () => ['page', number(3)]],
    [3, () => ['limit', number(9)]],
    [2, () => ['offset', number(6)]],
    [5, () => ['sort', names(name, '-')]],
    [9, () => filterOf(odd() ? { ...field(), name: random.pick(ODD_NAMES) } : field(), random, wild)],
    [3, () => ['search', random.pick(random.chance(0.5) ? TEXTS : PATTERNS)]],
    [3, () => ['include', names(() => known(Object.keys(resource.relationships)))]],
    [3, () => ['scope', known(resource.scopes)]],
    [3, () => ['fields', names(name)]],
    [3, () => ['cursor', odd() ? random.pick(['x', 'bnVsbA', 'W10', 'WyIiLDFd', TEXTS[9]!]) : '']],
    [1, () => [odd() ? random.pick(ODD_NAMES) : 'field', name()]],
  ]
  return Array.from({ length: random.int(5) }, () => pickWeighted(random, kinds)())
}

function filterOf({ name, type, values }: FieldShape, random: Random, wild: number): Parameter {
  const text = () =>
    values && random.chance(1 - wild) ? random.pick(values) : textFor(type, random, wild / 2)
  if (random.chance(0.25)) return [`filter[${name}]`, text()]
  const operator = random.pick(random.chance(wild) ? OPERATORS : OPERATORS.slice(0, 9))
  return [`filter[${name}][${operator}]`, VALUES[operator]?.(text, random) ?? text()]
}

const VALUES: Readonly<Record<string, (text: () => string, random: Random) => string>> = {
  in: (text, random) => Array.from({ length: 1 + random.int(4) }, text).join(','),
  null: (_, random) => random.pick(['true', 'false', 'true', 'false', 'yes']),
  like: (text, random) => (random.chance(0.5) ? random.pick(PATTERNS) : text()),
}

/** Parameters as the text behind `?`. */
export const encoded = (parameters: readonly Parameter[]): string =>
  parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')

/** Parameters of the ledgers of a resource: its audit, versions and history. */
export function ledgerParameters(random: Random, wild: number): readonly Parameter[] {
  const odd = () => random.chance(wild)
  const number = () => (odd() ? random.pick(ODD_NUMBERS) : String(1 + random.int(5)))
  const kinds: readonly (() => Parameter)[] = [
    () => ['page', number()],
    () => ['limit', number()],
    () => ['offset', number()],
    () => ['after', odd() ? String(random.pick(MISFITS)) : textFor('datetime', random, 0)],
    () => ['before', odd() ? String(random.pick(MISFITS)) : textFor('date', random, 0)],
    () => ['userId', textFor('uuid', random, wild)],
    () => ['event', random.pick(['made', 'changed', 'moved', 'noted', 'gone', 'nonsense'])],
  ]
  return Array.from({ length: random.int(3) }, () => random.pick(kinds)())
}
