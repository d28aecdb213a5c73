import { AppError, errors, type Logger } from '@svc/kernel'
import type { ActAs } from './act-as.ts'
import { within } from './chain.ts'
import { scriptingErrors } from './errors.ts'
import { LIMITS } from './limits.ts'
import type { Run } from './run.ts'
import type { Called } from './sandbox/protocol.ts'

/** What goes back into the script: JSON of the action's data, or of its error. */
export interface Answered {
  readonly ok: boolean
  readonly result: string
}

/** Runs the action that a handler asks for. Never rejects. */
export type AnswerCall = (called: Called, run: Run) => Promise<Answered>

/** Makes the answering of calls. */
export function createAnswer(actAs: ActAs, log: Logger): AnswerCall {
  return async ({ action, input }, run) => {
    run.calls += 1
    try {
      if (run.calls > LIMITS.calls) throw scriptingErrors.TOO_MANY_CALLS()
      const { registration, chain } = run.start
      const given: unknown = input === undefined ? {} : JSON.parse(input)
      const data = await within(chain, () => actAs(registration.as, action, given, chain.depth))
      return { ok: true, result: jsonOf(data) }
    } catch (error) {
      return { ok: false, result: JSON.stringify(told(error, action, log)) }
    } finally {
      run.calls -= 1
    }
  }
}

function jsonOf(data: unknown): string {
  if (data instanceof ReadableStream) void data.cancel()
  if (data instanceof ReadableStream || data instanceof Uint8Array) throw scriptingErrors.NO_JSON()
  const text = JSON.stringify(data ?? null)
  if (text.length > LIMITS.json) throw scriptingErrors.TOO_LARGE()
  return text
}

/** The documented error, without what only the log may tell. */
function told(error: unknown, action: string, log: Logger): object {
  const known = error instanceof AppError ? error : errors.INTERNAL_ERROR()
  if (known !== error) log.error({ err: error, action }, 'script.call_failed')
  const { code, message, detail } = known
  return { error_code: code, message, ...(detail.errors && { errors: detail.errors }) }
}
