import { AppError, brand } from '@svc/kernel'
import { z } from 'zod'

/** Codes that stand in ledgers alone, beside those that a client would get. */
export const LEDGER_CODES = [
  'TOO_DEEP',
  'STEP_LIMIT',
  'ITEM_LIMIT',
  'TOO_LARGE',
  'TOO_MANY_RECIPIENTS',
  'NOT_A_LIST',
  'NO_BRANCH',
  'UNSUPPORTED',
  'NO_RECIPIENT',
  'INVALID_ADDRESS',
  'ADDRESS_REFUSED',
] as const
export type LedgerCode = (typeof LEDGER_CODES)[number]

/** Work that failed for a reason that only a ledger tells. */
export class Failure extends Error {
  static {
    brand(this, 'Failure')
  }

  readonly code: LedgerCode

  constructor(code: LedgerCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Why something failed, as ledgers say it. */
export interface FailureText {
  readonly code: string
  readonly message: string
}

/** A failure as a ledger tells it. What nobody foresaw is INTERNAL_ERROR, and the log has it. */
export function failureOf(error: unknown): FailureText {
  if (error instanceof Failure) return { code: error.code, message: error.message }
  if (error instanceof AppError) return { code: error.code, message: messageOf(error) }
  return { code: 'INTERNAL_ERROR', message: 'Something went wrong inside the server: its log says what' }
}

/** Faults that a message names, of those that a client would get as `errors`. */
const MOST_FAULTS = 3
const Fault = z.object({ field: z.string(), message: z.string() })

/** The message with the fields that are at fault: nobody is there to read `errors`. */
function messageOf({ message, detail: { errors = [] } }: AppError): string {
  const faults = errors.flatMap((error) => Fault.safeParse(error).data ?? [])
  if (faults.length === 0) return message
  const named = faults.slice(0, MOST_FAULTS).map(({ field, message: fault }) => `${field}: ${fault}`)
  const more = faults.length > MOST_FAULTS ? [`and ${faults.length - MOST_FAULTS} more`] : []
  return `${message} (${[...named, ...more].join('; ')})`
}

/** Whether a try failed because something is out of reach: another one may go well without anybody's help. */
export const isOutOfReach = (error: unknown): boolean => error instanceof AppError && error.status === 503

/** The pauses before further tries of what was out of reach, in milliseconds. */
export const OUT_OF_REACH_DELAYS_MS: readonly number[] = [1000, 5000, 25_000, 125_000]
