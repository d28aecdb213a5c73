import { readFileSync } from 'node:fs'
import type { TestAnswer } from '../../kit/request.ts'
import type { LawRequest } from './memory.ts'

/** The documented error codes of each status. */
const CODES = documentedCodes()
/** Rules that a fault may be told by, besides those that the definition names. */
const RULES = new Set([
  'type', 'required', 'enum', 'minLength', 'maxLength', 'min', 'max', 'pattern', 'format', 'unknown', 'immutable', 'unique', 'reference', 'items', 'expression',
  'solvedNeedsHours', 'calm',
]) // prettier-ignore
/** Answers without an envelope. */
const DIRECT =
  /^\/(health(\/\w+)?|version|api\/v1\/(openapi|definition\.schema|domains\/[^/]+\/openapi)(\.json)?)$/
/** What would tell of the inside of the server. */
const INSIDE = /sqlite|postgres|\bpg_|constraint|syntax error|\.[jt]s:\d|node_modules|\n\s+at /i

/** Everything that is wrong with an answer, whatever was asked. */
export function faultsOf({ method, path }: LawRequest, answer: TestAnswer): readonly string[] {
  const { status, headers, body } = answer
  const faults: string[] = []
  const law = (holds: boolean, fault: string) => void (holds || faults.push(fault))
  law(status < 500, `the status is ${status}`)
  law(/\S/.test(headers.get('x-request-id') ?? ''), 'X-Request-Id is missing')
  if (method === 'HEAD' || method === 'OPTIONS' || status === 204 || status === 304) {
    law(body === undefined, 'there is a body')
  } else if (status >= 400) {
    faults.push(...errorFaults(status, body))
  } else if (/json/.test(headers.get('content-type') ?? '') && !DIRECT.test(path)) {
    law(
      body?.status === 'ok' && body.code === status && 'data' in body,
      'the envelope is not that of success',
    )
    faults.push(...listFaults(body.data), ...warningFaults(body.warnings))
  } else {
    law(body !== undefined, 'there is no body')
  }
  return faults
}

/** What a list says of itself has to fit its items. */
function listFaults(data: TestAnswer['body']): readonly string[] {
  if (!Array.isArray(data?.items) || data.count === undefined) return []
  const { items, count, totalCount, meta } = data
  const faults = count === items.length ? [] : ['count is not that of the items']
  if (totalCount === undefined) return faults
  if (totalCount < count) faults.push('totalCount is less than count')
  if (meta !== undefined && (meta.total !== totalCount || count > meta.per_page)) faults.push('meta is wrong')
  return faults
}

function warningFaults(warnings: TestAnswer['body']): readonly string[] {
  if (warnings === undefined) return []
  const isWell = (warning: Record<string, unknown>) =>
    ['rule', 'message', 'severity'].every((name) => typeof warning[name] === 'string') &&
    'regulation' in warning
  return Array.isArray(warnings) && warnings.length > 0 && warnings.every(isWell)
    ? []
    : ['warnings are malformed']
}

function errorFaults(status: number, body: TestAnswer['body']): readonly string[] {
  const faults: string[] = []
  const law = (holds: boolean, fault: string) => void (holds || faults.push(fault))
  law(body?.status === 'error' && body.code === status, 'the envelope is not that of an error')
  law(CODES.get(status)?.has(body?.error_code) === true, `${status} '${body?.error_code}' is not documented`)
  law(typeof body?.error_message === 'string' && body.error_message !== '', 'error_message says nothing')
  law(!INSIDE.test(body?.error_message), 'error_message tells of the inside')
  const { errors } = body ?? {}
  if (body?.error_code === 'VALIDATION_ERROR')
    law(Array.isArray(errors) && errors.length > 0, 'errors are missing')
  if (body?.error_code === 'PARSE_ERROR') return faults
  for (const { field, message, rule } of errors ?? []) {
    law(typeof field === 'string' && typeof message === 'string', 'a fault has no field or no message')
    if (body.error_code === 'VALIDATION_ERROR') law(RULES.has(rule), `the rule '${rule}' is not documented`)
  }
  return faults
}

function documentedCodes(): ReadonlyMap<number, ReadonlySet<string>> {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const codes = new Map<number, Set<string>>()
  for (const [, status, code] of page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm))
    codes.set(Number(status), (codes.get(Number(status)) ?? new Set()).add(code!))
  return codes
}
