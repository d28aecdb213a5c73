import type { Row, Value } from '@svc/store/contract'
import { RUN } from '../tables/runs.ts'
import type { Setting } from './means.ts'
import { openJson, sealJson } from './kept-work.ts'
import type { Ended } from './run.ts'

/** What came of a run, as it is told. */
export interface Result {
  readonly success: boolean
  readonly skipped: boolean
  readonly status: number | null
  readonly response: Value
  readonly written: readonly Row[]
  readonly error_code?: string
  readonly error_message?: string
  readonly deadLetterId: string | null
}

export const resultOf = ({ status, responseStatus, response, written, error, letter }: Ended): Result => ({
  success: status !== 'failed',
  skipped: status === 'skipped',
  status: responseStatus,
  response,
  written,
  ...(error && { error_code: error.code, error_message: error.message }),
  deadLetterId: status === 'failed' ? letter : null,
})

/** Seals it for the row of its run. */
export const sealResult = (ended: Ended, { parts }: Pick<Setting, 'parts'>): string =>
  sealJson(resultOf(ended), parts.kept)

/** Opens it; null as long as there is none, and where no key opens it. */
export const openResult = (row: Row, { parts }: Pick<Setting, 'parts'>): Value =>
  openJson(row[RUN.result.name], parts.kept) ?? null

/** The same for those who are not told what the other side has answered. */
export const withoutResponse = (result: Value): Value =>
  result === null ? null : { ...(result as Row), response: null }
