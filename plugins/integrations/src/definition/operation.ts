import { PermissionSchema, Text } from '@svc/domain/contract'
import { DurationText } from '@svc/automation/contract'
import { z } from 'zod'
import { RetryDefinition } from './resilience.ts'
import { TriggersDefinition } from './trigger.ts'
import { WritesDefinition } from './write.ts'

/** A key that the language has, and this version does not do. */
export const unsupported = z.json().optional().describe('Not supported by this version.')

/** Keys of an operation that are refused as not supported. */
export const UNSUPPORTED_OF_OPERATION = ['include'] as const

export const Values = z.record(z.string().min(1), z.json())

/** An operation as it is written. */
export const OperationDefinition = z
  .strictObject({
    description: Text.optional(),
    resource: z.string().min(1).optional().describe('The resource whose record is `$record`.'),
    input: z
      .record(
        z.string(),
        z.union([
          z.string().min(1),
          z.strictObject({
            type: z.string().min(1).optional(),
            required: z.boolean().optional(),
            enum: z.union([z.array(z.string()).min(1), z.string().min(1)]).optional(),
            default: z.json().optional(),
          }),
        ]),
      )
      .optional()
      .describe('What a request may say in `input`, by name: a type, or a field.'),
    trigger: TriggersDefinition.optional().describe('What sets it off by itself: one, or a list.'),
    retry: RetryDefinition.optional(),
    write: WritesDefinition.optional().describe('What is written of the answer: one record, or a list.'),
    when: z.string().min(1).optional().describe('A condition: where it is false nothing is sent.'),
    manual: z.boolean().optional().describe('Whether it is done by hand; true unless said.'),
    permissions: PermissionSchema.optional().describe('Who may do it, in place of `execute`.'),
    timeout: DurationText.optional().describe('How long it may take, at most 60s.'),
    required: z
      .array(z.string().min(1))
      .optional()
      .describe('Paths in `body` whose values must not be null, such as `customer.name`.'),
    method: z
      .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
      .optional()
      .describe('The method; GET unless said.'),
    path: z
      .string()
      .min(1)
      .optional()
      .describe('The path below `baseUrl`, with values in braces, each one segment or a part of one.'),
    query: Values.optional().describe('Query parameters; a value of null is left out.'),
    headers: Values.optional().describe('Headers; a value of null is left out.'),
    body: z.json().optional().describe('The body: a mapping.'),
    format: z.enum(['json', 'form', 'text']).optional().describe('How the body is sent; json unless said.'),
    success: z
      .string()
      .min(1)
      .optional()
      .describe('Whether it went well; `$status >= 200 and $status < 300` unless said.'),
    idempotency: z
      .union([
        z.literal(false),
        z.strictObject({ header: z.string().min(1).optional(), key: z.json().optional() }),
      ])
      .optional()
      .describe('The header that names the run, and its value; false: none. Sent with all but GET and HEAD.'),
    include: unsupported,
  })
  .describe('One thing that is done elsewhere.')
export type OperationDefinition = z.output<typeof OperationDefinition>
