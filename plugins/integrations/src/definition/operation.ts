import { PermissionSchema, Text } from '@svc/domain/contract'
import { DurationText } from '@svc/automation/contract'
import { z } from 'zod'
import { RetryDefinition } from './resilience.ts'
import { TriggersDefinition } from './trigger.ts'
import { WritesDefinition } from './write.ts'

export const Values = z.record(z.string().min(1), z.json())

/** The keys that operations of every type have. */
export const operationKeys = {
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
  include: z
    .array(z.string().min(1))
    .optional()
    .describe('Relationships of type belongsTo, whose records `$record` has as whole values.'),
} as const

/** What is written of an operation of any type. */
export type OperationDefinition = z.output<z.ZodObject<typeof operationKeys>> & {
  /** Whether what came back is success; of types that have such a word. */
  readonly success?: string | undefined
}
