import type { Value } from '@svc/store/contract'
import { didYouMean, withArticle } from '../definition/names.ts'
import type { Path } from '../definition/problem.ts'
import { sentenceOf } from '../speech/sentence.ts'
import type { Field } from './field.ts'
import type { Report } from './report.ts'

/** What the service may know of a caller, by its name after `$user.`. */
export const USER_FACTS = ['id', 'username', 'email', 'role', 'roles'] as const
export type UserFact = (typeof USER_FACTS)[number]

/** A value that a transition or an operation gives to a field, whatever a client sends. */
export type Assigned =
  | { readonly of: 'value'; readonly value: Value }
  /** The time of the write, in the form that the field keeps. */
  | { readonly of: 'now' }
  /** `role` is the first of the caller's roles. */
  | { readonly of: 'user'; readonly fact: UserFact }

/** By the name of the field. */
export type Assignments = ReadonlyMap<string, Assigned>

/** Compiles what is written after `sets` or `fields`; what cannot be is reported. */
export function buildAssignments(
  written: Readonly<Record<string, Value>> = {},
  path: Path,
  { fields, name, report }: { fields: ReadonlyMap<string, Field>; name: string; report: Report },
): Assignments {
  const built = Object.entries(written).flatMap(([to, value]) => {
    const at = [...path, to]
    const field = fields.get(to)
    if (field === undefined) {
      report.problem(at, `'${name}' has no field '${to}'`, didYouMean(to, fields.keys()))
      return []
    }
    refuseUnsettable(field, at, report)
    const assigned = assignedOf(value, field, at, report)
    return assigned === undefined ? [] : [[to, Object.freeze(assigned)] as const]
  })
  return new Map(built)
}

function refuseUnsettable({ name, primaryKey, computed, compiled }: Field, at: Path, report: Report): void {
  const reason = primaryKey
    ? 'is the key'
    : computed !== undefined
      ? 'is worked out'
      : compiled.type.generated
        ? 'is numbered by the service'
        : undefined
  if (reason !== undefined) report.problem(at, `'${name}' ${reason} and cannot be set`)
}

function assignedOf(value: Value, field: Field, at: Path, report: Report): Assigned | undefined {
  if (value === null) return { of: 'value', value }
  if (typeof value === 'string' && /^now\(\)$/i.test(value)) return now(field, at, report)
  if (typeof value === 'string' && value.startsWith('$')) return userFact(value, at, report)
  const checked = field.compiled.check(value)
  if ('value' in checked) return { of: 'value', value: checked.value }
  for (const fault of checked.faults) report.problem(at, `the value does not fit: ${sentenceOf(fault)}`)
  return undefined
}

/** The kinds of columns that hold a time. */
export const TIMES: readonly string[] = ['date', 'time', 'datetime']

function now({ name, compiled }: Field, at: Path, report: Report): Assigned | undefined {
  if (TIMES.includes(compiled.type.column)) return { of: 'now' }
  report.problem(
    at,
    `'${name}' is ${withArticle(compiled.type.name)} and holds no time`,
    'Make it a datetime',
  )
  return undefined
}

function userFact(value: string, at: Path, report: Report): Assigned | undefined {
  const fact = USER_FACTS.find((one) => value === `$user.${one}`)
  if (fact !== undefined) return { of: 'user', fact }
  const known = USER_FACTS.map((one) => `$user.${one}`)
  report.problem(
    at,
    `'${value}' is not known here`,
    didYouMean(value, known) ?? `Known are ${known.join(', ')}`,
  )
  return undefined
}
