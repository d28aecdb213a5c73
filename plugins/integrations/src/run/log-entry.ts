import type { Row, Transaction } from '@svc/store/contract'
import type { Attempted } from './attempted.ts'
import { moment } from './keep.ts'
import { loggedBody, sealBody, tableText } from './logged.ts'
import type { Setting } from './means.ts'
import type { Run } from './run.ts'

/** Writes down what was sent and what came of it. */
export async function logAttempt(
  run: Run,
  attempted: Pick<Attempted, 'status' | 'response' | 'told' | 'durationMs' | 'failure'>,
  transaction: Transaction,
  setting: Pick<Setting, 'tables' | 'parts' | 'model'>,
): Promise<void> {
  const { model, parts, tables } = setting
  const { integration, operation, built } = run
  const { status, response, told = response, durationMs, failure } = attempted
  const body = (value: Parameters<typeof loggedBody>[0]) =>
    sealBody(loggedBody(value, integration.log, parts.redaction), model)
  const values: Row = {
    id: parts.newId(),
    integration: integration.name,
    operation: operation.name || null,
    direction: operation.direction,
    method: built?.shown.method ?? null,
    url: built?.shown.url ? parts.redaction.text(built.shown.url) : null,
    requestBody: body(built?.shown.body ?? null),
    responseStatus: status,
    responseBody: body(told),
    durationMs: Math.round(durationMs),
    success: failure === undefined,
    errorMessage: failure ? tableText(parts.redaction.text(failure.message)) : null,
    attemptNumber: run.attempts,
    triggeredBy: run.triggeredBy,
    actor: run.actor && { ...run.actor },
    createdAt: moment(parts.env.now()),
    runId: run.id,
    resource: run.resource,
    recordId: run.recordId,
  }
  await transaction.append({ table: tables.log, values })
}
