import { type Documentation, domainAction, type DomainAction, kebabCase } from '@svc/domain/contract'
import { z } from 'zod'
import type { Setting } from '../run/means.ts'
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
    run: {
      description:
        'For those who may do the operation, and get its record where it is about one. What the other side answered is for those who may manage the integration, and for who did it by hand.',
      failures: [404],
    },
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
