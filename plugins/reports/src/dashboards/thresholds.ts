import type { Path, Site } from '@svc/domain/contract'

type Operator = '<' | '<=' | '>' | '>='

/** A level by its name, and when it holds. */
export interface Threshold {
  readonly name: string
  readonly operator: Operator
  readonly number: number
}

const WRITTEN = /^(<=|>=|<|>)\s*(-?\d{1,15}(?:\.\d{1,15})?)$/

/** Compiles levels: plain numbers mean "from this on" where they rise in the order written, and "up to this" where they fall. */
export function compileThresholds(
  written: Readonly<Record<string, number | string>> = {},
  path: Path,
  site: Site,
): readonly Threshold[] {
  const plain = Object.values(written).filter((one) => typeof one === 'number')
  const rises = plain.every((one, at) => at === 0 || one > plain[at - 1]!)
  const falls = plain.length > 1 && plain.every((one, at) => at === 0 || one < plain[at - 1]!)
  if (!rises && !falls)
    site.problem(path, 'neither rise nor fall', 'Write numbers in order, or an operator before each')
  return Object.entries(written).flatMap(([name, one]): readonly Threshold[] => {
    // A map has names that are numbers first, wherever they are written.
    if (/^\d+$/.test(name))
      site.problem([...path, name], `'${name}' is no name of a level`, 'Begin it with a letter')
    if (typeof one === 'number') return [{ name, operator: rises ? '>=' : '<=', number: one }]
    const [, operator, number] = WRITTEN.exec(one.trim()) ?? []
    if (operator === undefined) {
      site.problem(
        [...path, name],
        `'${one.slice(0, 60)}' is no level`,
        "Write a number, or one behind < <= > >=: '<= 5'",
      )
      return []
    }
    return [{ name, operator: operator as Operator, number: Number(number) }]
  })
}

const HOLDS: Readonly<Record<Operator, (value: number, number: number) => boolean>> = {
  '<': (value, number) => value < number,
  '<=': (value, number) => value <= number,
  '>': (value, number) => value > number,
  '>=': (value, number) => value >= number,
}

/** The last level that holds for a value; null where none does. */
export const levelOf = (value: unknown, thresholds: readonly Threshold[]): string | null =>
  typeof value === 'number'
    ? (thresholds.findLast(({ operator, number }) => HOLDS[operator](value, number))?.name ?? null)
    : null
