import { type Parameter, type Query, readValue } from '@svc/domain/contract'
import { type Caller, errors, type Ignored } from '@svc/kernel'
import type { Value } from '@svc/store/contract'
import { formatIn } from '../views/request.ts'
import type { Report } from './report.ts'

/** What a request says of a report. */
export interface ReportRequest {
  readonly format: 'json' | 'csv' | 'pdf'
  /** The one section that is asked for, from 0. */
  readonly section: number | undefined
  readonly parameters: Readonly<Record<string, Value>>
}

/** Reads a request for a report. Throws INVALID_QUERY. */
export function readRequest(
  { parameters, sections }: Report,
  query: Query,
  caller: Caller,
  now: () => number,
  ignored: Ignored,
): ReportRequest {
  const format = formatIn(query['format'], ['json', 'csv', 'pdf'])
  const known = new Set([
    'format',
    ...(format === 'csv' ? ['section'] : []),
    ...parameters.map(({ name }) => name),
  ])
  for (const name of Object.keys(query)) if (!known.has(name)) ignored('query', name)
  return {
    format,
    section: format === 'csv' ? sectionIn(query['section'], sections.length) : undefined,
    parameters: Object.fromEntries(
      parameters.map((one) => [one.name, valueOf(one, query[one.name], caller, now)]),
    ),
  }
}

function sectionIn(written: string | undefined, count: number): number | undefined {
  if (written === undefined) return undefined
  const number = /^[1-9]\d{0,3}$/.test(written) ? Number(written) : NaN
  if (number <= count) return number - 1
  throw errors.INVALID_QUERY({
    message: `'section' is a number from 1 to ${count}, not '${written.slice(0, 50)}'`,
  })
}

/** The value of a parameter, as filters read theirs. Throws INVALID_QUERY. */
function valueOf(parameter: Parameter, text: string | undefined, user: Caller, now: () => number): Value {
  const { name, otherwise, isOptional, compiled } = parameter
  if (text !== undefined) {
    const parsed = compiled.parseText(text)
    const read = parsed === undefined ? undefined : readValue(parsed, parameter)
    if (read && 'value' in read) return read.value
    const why = read ? `: ${read.message}` : ''
    throw errors.INVALID_QUERY({
      message: `'${text.slice(0, 50)}' is no value of '${name}', which is ${parameter.type}${why}`,
    })
  }
  if (otherwise)
    return 'value' in otherwise
      ? otherwise.value
      : fitting(otherwise.expression.evaluate({ user, now }), parameter)
  if (isOptional) return null
  throw errors.INVALID_QUERY({ message: `'${name}' is missing: the report needs it` })
}

/** What a default comes to, where it fits. */
function fitting(value: Value, parameter: Parameter): Value {
  if (value === null) return null
  const read = readValue(value, parameter)
  return 'value' in read ? read.value : null
}
