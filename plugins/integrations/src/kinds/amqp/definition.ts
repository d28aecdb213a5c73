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
  })
  .describe('One thing that is published.')
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
