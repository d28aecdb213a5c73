import { type Documentation, domainAction, type DomainAction, kebabCase } from '@svc/domain/contract'
import { errors } from '@svc/kernel'
import { z } from 'zod'
import { runIs } from '../run/keep.ts'
import type { Setting } from '../run/means.ts'
import { openResult } from '../run/result.ts'
import { RUN_STATUSES, type RunStatus } from '../tables/runs.ts'
import { operate } from './deed.ts'
import { integrationNamed, operationNamed } from './named.ts'

/** What is said of what is to be done. */
const What = {
  recordId: z
    .union([z.string().min(1).max(200), z.int()])
    .optional()
    .describe('The key of the record that it is done for.'),
  input: z.record(z.string(), z.json()).default({}).describe('What the operation takes besides.'),
  payload: z.json().optional().describe('Of a webhook: a message, as if it had come in.'),
  headers: z.record(z.string(), z.string()).optional().describe('Of a webhook: the headers of the message.'),
  dryRun: z.boolean().default(false).describe('Whether to tell what would be sent, and to send nothing.'),
}

const Asked = z.strictObject({
  name: z.string().describe('The name of the integration.'),
  operation: z.string().describe('The name of the operation.'),
  ...What,
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
    handle({ name, operation: wanted, ...asked }, call, data) {
      const integration = integrationNamed(name, integrations)
      const operation = operationNamed(wanted, integration)
      operation.execute.assert(call.caller, parts.env.now)
      return operate({ integration, operation }, asked, call, { ...setting, data })
    },
  }) as DomainAction
}

/** The same of each operation for scripts and workflows, which name it and have the rights of the system. */
export const innerActions = (setting: Setting): readonly DomainAction[] =>
  [...setting.integrations.values()].flatMap((integration) =>
    [...integration.operations.values()].map(
      (operation) =>
        domainAction({
          name: `${kebabCase(integration.name)}.${kebabCase(operation.name)}`,
          summary: 'Do an operation of an integration',
          access: [],
          routes: [],
          input: z.strictObject(What),
          output: Done,
          handle: (asked, call, data) =>
            operate({ integration, operation }, asked, call, { ...setting, data }),
        }) as DomainAction,
    ),
  )

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
