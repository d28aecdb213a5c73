import { failureOf } from '@svc/automation/contract'
import {
  column,
  type Condition,
  Increment,
  type Reader,
  type Table,
  type Transaction,
} from '@svc/store/contract'
import type { Promised } from '../promises/promises.ts'

/** The columns of what could not be generated. */
export const FAILURE = {
  domain: column('domain', 'text'),
  template: column('template', 'text'),
  count: column('count', 'integer'),
  at: column('at', 'datetime'),
  recordId: column('record_id', 'text', true),
  code: column('code', 'text'),
  message: column('message', 'text'),
}

/** What of each template could not be generated: how often, and the last time. */
export const failures: Table = {
  name: 'svc_document_failures',
  columns: Object.values(FAILURE),
  primaryKey: [FAILURE.domain, FAILURE.template],
  indexes: [],
  foreignKeys: [],
}

/** What administrators are told of a template. */
export interface Failures {
  readonly count: number
  readonly last: {
    readonly at: string
    readonly recordId: string | null
    readonly error_code: string
    readonly message: string
  } | null
}

const of = (domain: string, template: string): Condition => ({
  op: 'and',
  of: [
    { op: 'eq', column: FAILURE.domain, value: domain },
    { op: 'eq', column: FAILURE.template, value: template },
  ],
})

/** Enters that what was promised will not come. */
export async function noteFailure(
  transaction: Transaction,
  domain: string,
  { template, recordId }: Promised,
  error: unknown,
  at: string,
): Promise<void> {
  const { code, message } = failureOf(error)
  const last = { at, record_id: recordId, code, message: message.slice(0, 500) }
  const values = { domain, template, count: 0, ...last }
  await transaction.insert({ table: failures, values, onConflict: 'ignore' })
  await transaction.update({
    table: failures,
    set: { ...last, count: new Increment(1) },
    where: of(domain, template),
  })
}

/** What could not be generated of a template. */
export async function failuresOf(domain: string, template: string, reader: Reader): Promise<Failures> {
  const [row] = await reader.select({
    table: failures,
    columns: failures.columns,
    where: of(domain, template),
    order: [],
    limit: 1,
  })
  if (row === undefined) return { count: 0, last: null }
  return {
    count: Number(row['count']),
    last: {
      at: String(row['at']),
      recordId: row['record_id'] === null ? null : String(row['record_id']),
      error_code: String(row['code']),
      message: String(row['message']),
    },
  }
}
