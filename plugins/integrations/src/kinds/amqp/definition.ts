import { DurationText } from '@svc/automation/contract'
import { z } from 'zod'
import { Values } from '../../definition/operation.ts'
import { brokerKeys, brokerOperationKeys } from '../broker/definition.ts'

const AmqpOperation = z
  .strictObject({
    ...brokerOperationKeys,
    exchange: z.string().optional().describe('Where it is published: the default exchange unless said.'),
    routingKey: z.string().min(1).optional().describe('Of what is published: where it is led to.'),
    headers: Values.optional().describe('Headers; a value of null is left out.'),
    persistent: z.boolean().optional().describe('Whether it outlives the broker; true unless said.'),
    mandatory: z.boolean().optional().describe('Whether some queue has to take it; true unless said.'),
    queue: z.string().min(1).max(255).optional().describe('Of what is consumed: the queue.'),
    bindings: z
      .array(z.strictObject({ exchange: z.string().min(1), routingKey: z.string().default('') }))
      .max(50)
      .optional()
      .describe('What is led to the queue, with `declare`.'),
    prefetch: z.int().min(1).max(1000).optional().describe('How many messages wait here: 10 unless said.'),
    consumers: z.int().min(1).max(16).optional().describe('How many servers consume at once: 1 unless said.'),
    declare: z.boolean().optional().describe('Whether what is missing is made, durable; false unless said.'),
  })
  .describe('One thing that is published, or consumed.')
export type AmqpOperation = z.output<typeof AmqpOperation>

/** An integration of type `amqp`. */
export const AmqpDefinition = z
  .strictObject({
    type: z.literal('amqp'),
    ...brokerKeys,
    vhost: z.string().min(1).optional().describe('The virtual host: / unless said.'),
    heartbeat: DurationText.optional().describe(
      'How often both sides show that they are there: 30s unless said.',
    ),
    operations: z.record(z.string(), AmqpOperation).optional().describe('What it does, by name.'),
  })
  .describe('A broker that speaks AMQP 0-9-1.')
