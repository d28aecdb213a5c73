import { momentIn } from '@svc/domain/contract'
import type { Condition } from '@svc/store/contract'
import { TIMESTAMP } from '../ledger.ts'
import { USER_ID } from './ledger.ts'

type Query = Readonly<Record<string, string>>

/** What an audit can be narrowed by. */
const READ = {
  after: (text: string): Condition => ({ op: 'gt', column: TIMESTAMP, value: momentIn('after', text) }),
  before: (text: string): Condition => ({ op: 'lt', column: TIMESTAMP, value: momentIn('before', text) }),
  userId: (text: string): Condition => ({ op: 'eq', column: USER_ID, value: text }),
}

export const PARAMETERS: readonly string[] = Object.keys(READ)

/** The conditions that a query puts on entries. Throws INVALID_QUERY. */
export const whereOf = (query: Query): readonly Condition[] =>
  Object.entries(READ).flatMap(([name, read]) => {
    const text = query[name]
    return text === undefined ? [] : read(text)
  })
