import {
  codecOf,
  type Data,
  type Documentation,
  type DomainAction,
  domainAction,
  keptOnce,
  type Model,
  type Resource,
} from '@svc/domain/contract'
import { type Call, createUuidV7, errors, Reply } from '@svc/kernel'
import type { Row, Value } from '@svc/store/contract'
import { z } from 'zod'
import { readInput } from '../compile/input.ts'
import type { Integration, Operation } from '../integration.ts'
import type { Parts } from '../parts.ts'
import { failedError } from '../run/failed.ts'
import { integrationNamed, operationNamed } from './named.ts'

const Asked = z.strictObject({
  name: z.string().describe('The name of the integration.'),
  operation: z.string().describe('The name of the operation.'),
  recordId: z
    .union([z.string().min(1).max(200), z.int()])
    .optional()
    .describe('The key of the record that it is done for.'),
  input: z.record(z.string(), z.json()).default({}).describe('What the operation takes besides.'),
  dryRun: z.boolean().default(false).describe('Whether to tell what would be sent, and to send nothing.'),
})

const Done = z.object({
  runId: z.string().optional().describe('The id of the run; absent of a dry run.'),
  success: z.boolean().optional().describe('Whether it went well.'),
  skipped: z.boolean().optional().describe('Whether `when` was false, and nothing was sent.'),
  attempts: z.int().optional().describe('How often it was sent.'),
  durationMs: z.number().optional().describe('How long it took.'),
  status: z.int().nullable().optional().describe('The status that was answered.'),
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
        'What is sent bears the id of the run. 422 with rule `mapping` where a value cannot be sent, 502 and 504 where the other side fails.',
      failures: [404, 409, 422, 502, 503, 504],
    },
  },
}

/** The action that does an operation by hand. */
export function operateAction(
  all: ReadonlyMap<string, Integration>,
  model: Model,
  parts: Parts,
): DomainAction {
  const newId = createUuidV7(parts.env)
  return domainAction({
    name: 'operate',
    summary: 'Do an operation of an integration',
    access: 'record',
    routes: ['POST /integrations/:name/operations/:operation'],
    input: Asked,
    output: Done,
    async handle({ name, operation: wanted, recordId, input, dryRun }, call, data) {
      const integration = integrationNamed(name, all)
      const operation = operationNamed(wanted, integration)
      operation.execute.assert(call.caller, parts.env.now)
      assertInUse(integration, parts)
      const record = await recordOf(operation, recordId, call, data)
      const now = parts.env.now()
      const runId = newId()
      const values = readInput(input as Row, operation.input, () => now)
      const facts = {
        resource: operation.resource,
        record,
        user: call.caller,
        op: 'update',
        variables: { input: values, mapped: null },
        now: () => now,
      }
      const asked = { runId, facts, reader: data.reader, signal: call.signal }
      if (dryRun) return { dryRun: true, request: await operation.preview(asked, call.caller) }
      const done = async () => {
        const told = { runId, success: true, written: [] }
        const took = () => parts.env.now() - now
        const message = await operation.build(asked)
        if (message === undefined)
          return { ...told, skipped: true, attempts: 0, durationMs: took(), status: null, response: null }
        const { failure, status, response } = await operation.attempt(message, asked)
        if (failure) throw failedError(failure, { runId, attempts: 1, status, deadLetterId: null })
        const shown = parts.redaction.json(response)
        return { ...told, skipped: false, attempts: 1, durationMs: took(), status, response: shown }
      }
      // Whoever asks again with the same key is told what came of it; what failed is done again.
      return keptOnce(
        { ...parts.answers, transaction: (caller, write) => data.write({ caller }, write) },
        {
          name: `svc.${model.name}.integrations.operate`,
          path: [integration.name, operation.name],
          sent: { recordId: recordId ?? null, input },
          codec: codecOf(model),
        },
        call,
        async (transact) => {
          const told = await done()
          return transact(async () => new Reply({ data: told }))
        },
      )
    },
  }) as DomainAction
}

function assertInUse({ name, enabled }: Integration, { isEnabled }: Parts): void {
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

const fault = (rule: string, message: string) =>
  errors.VALIDATION_ERROR({ errors: [{ field: 'recordId', rule, message }] })

const keyOf = ({ key }: Resource, given: string | number): Value =>
  key.column?.kind === 'integer' ? Number(given) : String(given)
