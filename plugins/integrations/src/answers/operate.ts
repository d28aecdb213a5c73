import {
  type Data,
  type Documentation,
  type DomainAction,
  domainAction,
  type Facts,
  type Resource,
} from '@svc/domain/contract'
import { type Call, errors, Reply } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { z } from 'zod'
import { readInput } from '../compile/input.ts'
import { messageVariables } from '../inbound/operation.ts'
import type { Integration, Operation } from '../integration.ts'
import type { Parts } from '../parts.ts'
import { doByHand } from '../run/hand.ts'
import { runIs } from '../run/keep.ts'
import type { Setting } from '../run/means.ts'
import { openResult } from '../run/result.ts'
import type { Run } from '../run/run.ts'
import { findsFor } from '../run/writer.ts'
import { RUN_STATUSES, type RunStatus } from '../tables/runs.ts'
import { integrationNamed, operationNamed } from './named.ts'
import { answeredOnce } from './once.ts'

const Asked = z.strictObject({
  name: z.string().describe('The name of the integration.'),
  operation: z.string().describe('The name of the operation.'),
  recordId: z
    .union([z.string().min(1).max(200), z.int()])
    .optional()
    .describe('The key of the record that it is done for.'),
  input: z.record(z.string(), z.json()).default({}).describe('What the operation takes besides.'),
  payload: z.json().optional().describe('Of a webhook: a message, as if it had come in.'),
  headers: z.record(z.string(), z.string()).optional().describe('Of a webhook: the headers of the message.'),
  dryRun: z.boolean().default(false).describe('Whether to tell what would be sent, and to send nothing.'),
})

const Done = z.object({
  runId: z.string().optional().describe('The id of the run; absent of a dry run.'),

  success: z.boolean().optional().describe('Whether it went well.'),
  skipped: z.boolean().optional().describe('Whether `when` was false, and nothing was sent.'),
  attempts: z.int().optional().describe('How often it was sent.'),
  durationMs: z.number().optional().describe('How long it took.'),
  status: z
    .union([z.int(), z.enum(['queued', 'running'])])
    .nullable()
    .optional()
    .describe('The status that was answered; of a run that goes on, where it is.'),
  response: z.json().optional().describe('The body that was answered.'),
  written: z.array(z.json()).optional().describe('What was written of it.'),
  dryRun: z.literal(true).optional().describe('Present of a dry run.'),
  request: z.json().optional().describe('Of a dry run: what would be sent, without what authorizes it.'),
})

/** What documents say of it. */
export const OPERATE: Documentation = {
  operations: {
    operate: {
      headers: ['Idempotency-Key'],
      description:
        'What is sent bears the id of the run. 202 where it takes longer than 25 s, or at once with `Prefer: respond-async`: the run goes on, and `GET …/runs/{id}` tells of it. 422 with rule `mapping` where a value cannot be sent, 502 and 504 where the other side fails.',
      failures: [404, 409, 422, 429, 502, 503, 504],
    },
    run: { description: 'For those who may do the operation.', failures: [404] },
  },
}

/** The action that does an operation by hand. */
export function operateAction(setting: Setting): DomainAction {
  const { integrations, parts } = setting
  return domainAction({
    name: 'operate',
    summary: 'Do an operation of an integration',
    access: 'record',
    routes: ['POST /integrations/:name/operations/:operation'],
    input: Asked,
    output: Done,
    async handle({ name, operation: wanted, recordId, input, dryRun, payload, headers }, call, data) {
      const integration = integrationNamed(name, integrations)
      const operation = operationNamed(wanted, integration)
      operation.execute.assert(call.caller, parts.env.now)
      assertInUse(integration, parts)
      const message = messageOf(operation, payload, headers)
      const record = await recordOf(operation, recordId, call, data)
      const now = parts.env.now()
      const values = readInput(input as Row, operation.input, () => now)
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
      if (dryRun) return { dryRun: true, ...(await operation.preview(asked, call.caller)) }
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
          triggeredBy: `manual:${call.caller.username ?? 'system'}`,
          resource: operation.resource?.name ?? null,
          recordId: recordId === undefined ? null : String(recordId),
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
        const told = await doByHand(run, { isAsync, signal }, { ...setting, data })
        if ('status' in told) return new Reply({ status: 202, data: { runId, status: told.status } })
        const { error, attempts, responseStatus: status, response, written } = told.over
        if (error) throw error
        const durationMs = parts.env.now() - now
        const ended = { attempts, durationMs, status, response, written }
        return new Reply({ data: { runId, success: true, skipped: false, ...ended } })
      }
      const sent = { recordId: recordId ?? null, input, ...(message && { payload: payload ?? null }) }
      return answeredOnce({ action: 'operate', path: [integration.name, operation.name], sent }, setting, {
        call,
        data,
        done,
      })
    },
  }) as DomainAction
}

/** What is done goes on, whoever has gone. */
const NEVER = new AbortController().signal

/** What is told where `when` is false. */
const NOTHING = { success: true, skipped: true, attempts: 0, status: null, response: null, written: [] }

/** The action that tells what has become of a run. */
export const runAction = (setting: Setting): DomainAction =>
  domainAction({
    name: 'run',
    summary: 'See what has become of a run',
    access: 'record',
    routes: ['GET /integrations/:name/runs/:id'],
    input: z.strictObject({
      name: z.string().describe('The name of the integration.'),
      id: z.string().describe('The id of the run.'),
    }),
    output: z.object({
      runId: z.string().describe('Its id.'),
      operation: z.string().describe('The operation.'),
      status: z.enum(RUN_STATUSES).describe('What has become of it.'),
      attempts: z.int().describe('How often it was sent.'),
      recordId: z.string().nullable().describe('The key of its record.'),
      result: z.json().describe('What came of it; null as long as it is under way.'),
    }),
    async handle({ name, id }, { caller }, { reader }) {
      const { parts, tables } = setting
      const integration = integrationNamed(name, setting.integrations)
      const [row] = UUID.test(id)
        ? await reader.select({
            table: tables.runs,
            columns: tables.runs.columns,
            where: runIs(id.toLowerCase()),
            order: [],
          })
        : []
      const operation = integration.operations.get(String(row?.['operation']))
      const { execute } = operation ?? integration
      execute.assert(caller, parts.env.now)
      if (row === undefined || row['integration'] !== integration.name)
        throw errors.NOT_FOUND({ message: `There is no run '${id.slice(0, 50)}'` })
      return {
        runId: String(row['id']),
        operation: String(row['operation']),
        status: row['status'] as RunStatus,
        attempts: Number(row['attempts']),
        recordId: row['recordId'] === null ? null : String(row['recordId']),
        result: openResult(row, setting),
      }
    },
  }) as DomainAction

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

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

const keyOf = ({ key }: Resource, given: string | number): Value =>
  key.column?.kind === 'integer' ? Number(given) : String(given)
