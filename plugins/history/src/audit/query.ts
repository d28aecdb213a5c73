import { errors } from '@svc/kernel'
import type { Condition } from '@svc/store/contract'
import { TIMESTAMP } from '../ledger.ts'
import { USER_ID } from './ledger.ts'

type Query = Readonly<Record<string, string>>

/** What an audit can be narrowed by. */
const READ = {
  after: (text: string): Condition => ({ op: 'gt', column: TIMESTAMP, value: moment('after', text) }),
  before: (text: string): Condition => ({ op: 'lt', column: TIMESTAMP, value: moment('before', text) }),
  userId: (text: string): Condition => ({ op: 'eq', column: USER_ID, value: text }),
}

export const PARAMETERS: readonly string[] = Object.keys(READ)

/** The conditions that a query puts on entries. Throws INVALID_QUERY. */
export const whereOf = (query: Query): readonly Condition[] =>
  Object.entries(READ).flatMap(([name, read]) => {
    const text = query[name]
    return text === undefined ? [] : read(text)
  })

const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** A date-time of RFC 3339, or a day, which stands for its first moment in UTC; of the years 1 to 9999. */
function moment(name: string, text: string): string {
  const at = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  const utc = Number.isNaN(at) ? '' : new Date(at).toISOString()
  if (/^(?!0000)\d{4}-/.test(utc)) return utc
  throw errors.INVALID_QUERY({
    message: `'${name}' takes a date-time such as 2026-01-31T12:00:00Z, not '${text.slice(0, 50)}'`,
  })
}
