import { substituteVariables, type Variables } from '@svc/kernel'
import type { Path } from './positions.ts'
import type { Source } from './read.ts'

/** Replaces the variables in every text of a value. */
export type Substitution = (value: unknown, path: Path) => unknown

/** Aliases make a small file stand for a large value. */
const MAX_VALUES = 1_000_000

/** Makes the substitution of one manifest: `${VAR}` and `${VAR:default}`. Throws a StartupError for an unset variable. */
export function createSubstitution(source: Source, variables: Variables): Substitution {
  let count = 0

  const text = (written: string, path: Path): string => {
    const {
      text: replaced,
      unset: [name],
    } = substituteVariables(written, variables)
    if (name === undefined) return replaced
    throw source.fault(
      path,
      `the variable '${name}' is not set`,
      `Set it in the environment, or write \${${name}:default}`,
    )
  }

  const substitute: Substitution = (value, path) => {
    if (++count > MAX_VALUES) throw source.fault(path, `more than ${MAX_VALUES} values`)
    if (typeof value === 'string') return text(value, path)
    if (Array.isArray(value)) return value.map((one, at) => substitute(one, [...path, at]))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, one]) => [key, substitute(one, [...path, key])])
    return Object.fromEntries(entries)
  }
  return substitute
}
