import { assertNotPassedOver } from '@svc/automation/contract'
import type { Data, Facts, Resource } from '@svc/domain/contract'
import { type Call, errors, Reply } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { readInput } from '../compile/input.ts'
import { messageVariables } from '../inbound/operation.ts'
import type { Integration } from '../integration.ts'
import type { Operation } from '../operation.ts'
import type { Parts } from '../parts.ts'
import { setOffBy } from '../run/actor.ts'
import { doByHand } from '../run/hand.ts'
import type { Means } from '../run/means.ts'
import type { Run } from '../run/run.ts'
import { findsFor } from '../run/writer.ts'
import { answeredOnce, responseKept } from './once.ts'

/** What is asked of an operation. */
export interface AskedOf {
  readonly recordId?: string | number | undefined
  readonly input: Readonly<Record<string, Value>>
  readonly dryRun: boolean
  readonly payload?: Value | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Does an operation for somebody who may, or tells what it would do. */
export async function operate(
  { integration, operation }: Pick<Run, 'integration' | 'operation'>,
  { recordId, input, dryRun, payload, headers }: AskedOf,
  call: Call,
  means: Means,
): Promise<object> {
  const { parts, data } = means
  assertInUse(integration, parts)
  const message = messageOf(operation, payload, headers)
  const record = await recordOf(operation, recordId, call, data)
  const { resource } = operation
  const key = (resource && record?.[resource.key.name]) ?? null
  if (resource && record) await assertNotPassedOver(resource, key, data.reader)
  const now = parts.env.now()
  const values = readInput(input, operation.input, () => now)
  const facts: Facts = {
    resource: operation.resource,
    record,
    user: call.caller,
    op: 'update',
    variables: { input: values, mapped: null, transition: null, ...message },
    now: () => now,
  }
  const runId = parts.newId()
  const finds = findsFor(integration, data, parts)
  const asked = { runId, facts, reader: data.reader, signal: call.signal, finds }
  if (dryRun) {
    const accessOf = (one: Resource) => data.access(one, call.caller)
    return { dryRun: true, ...(await operation.preview(asked, { caller: call.caller, accessOf })) }
  }
  const done = async () => {
    const built = await operation.build(asked)
    if (built === undefined)
      return new Reply({ data: { ...NOTHING, runId, durationMs: parts.env.now() - now } })
    const run: Run = {
      id: runId,
      integration,
      operation,
      facts,
      built,
      ...setOffBy('manual', call.caller),
      resource: operation.resource?.name ?? null,
      recordId: key === null ? null : String(key),
      depth: call.depth + 1,
      chain: 0,
      attempts: 0,
      isByHand: true,
      isKept: false,
      finds,
      letter: undefined,
    }
    const isAsync = /\brespond-async\b/i.test(call.request?.meta('prefer') ?? '')
    const signal = operation.isRead ? call.signal : NEVER
    const told = await doByHand(run, { isAsync, signal }, means)
    if ('status' in told) return new Reply({ status: 202, data: { runId, status: told.status } })
    const { error, attempts, responseStatus: status, written } = told.over
    if (error) throw error
    const durationMs = parts.env.now() - now
    const ended = { attempts, durationMs, status, ...responseKept(told.over, parts), written }
    return new Reply({ data: { runId, success: true, skipped: false, ...ended } })
  }
  const sent = { recordId: recordId ?? null, input, ...(message && { payload: payload ?? null }) }
  return answeredOnce({ action: 'operate', path: [integration.name, operation.name], sent }, means, {
    call,
    data,
    done,
  })
}

/** What is done goes on, whoever has gone. */
const NEVER = new AbortController().signal

/** What is told where `when` is false. */
const NOTHING = { success: true, skipped: true, attempts: 0, status: null, response: null, written: [] }

/** What an operation of a webhook is told of a message. Throws VALIDATION_ERROR for what does not fit. */
function messageOf(
  { direction }: Operation,
  payload: Value | undefined,
  headers: Readonly<Record<string, string>> = {},
): Row | undefined {
  if (direction === 'outbound') {
    if (payload !== undefined) throw fault('unknown', 'means nothing here: nothing comes in', 'payload')
    return undefined
  }
  if (payload === undefined)
    throw fault('required', 'is required: the operation is about a message', 'payload')
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return messageVariables(payload, Object.fromEntries(named))
}

export function assertInUse({ name, enabled }: Integration, { isEnabled }: Parts): void {
  if (!isEnabled)
    throw errors.UNAVAILABLE({
      message: 'This server does no operations of integrations: they are switched off',
    })
  if (!enabled)
    throw errors.CONFLICT({
      message: `The integration '${name}' is not in use: its definition says 'enabled: false'`,
    })
}

/** The record that an operation is done for, as it is stored, for a caller who may get it. */
async function recordOf(
  { resource, readsRecord }: Operation,
  recordId: string | number | undefined,
  call: Call,
  data: Data,
): Promise<Row | undefined> {
  if (recordId === undefined) {
    if (readsRecord) throw fault('required', 'is required: the operation reads a record')
    return undefined
  }
  if (resource === undefined) throw fault('unknown', 'means nothing here: the operation is about no record')
  const { table, key } = resource
  const { column } = key
  const known = await data.get(resource, keyOf(resource, recordId), call)
  const value = known[key.name]
  const [row] =
    column === undefined || value === undefined || value === null
      ? []
      : await data.reader.select({
          table,
          columns: table.columns,
          where: { op: 'eq', column, value },
          order: [],
          limit: 1,
        })
  if (row === undefined) throw errors.NOT_FOUND({ message: `'${resource.name}' has no such record` })
  return row
}

const fault = (rule: string, message: string, field = 'recordId') =>
  errors.VALIDATION_ERROR({ errors: [{ field, rule, message }] })

/** The key of a record as its resource has it, of what a request or a row says. */
export const keyOf = ({ key }: Resource, given: string | number): Value =>
  // `1e0` and ` 1` are numbers too, and no keys.
  key.column?.kind === 'integer' && String(Number(given)) === String(given) ? Number(given) : String(given)
