import { DurationText } from '@svc/automation/contract'
import { z } from 'zod'
import { brokerKeys, brokerOperationKeys } from '../broker/definition.ts'

const MqttOperation = z
  .strictObject({
    ...brokerOperationKeys,
    topic: z.string().min(1).describe('What it is about, with values in braces.'),
    qos: z
      .union([z.literal(0), z.literal(1), z.literal(2)])
      .optional()
      .describe('0: at most once; 1, unless said: at least once; 2: once.'),
    retain: z.boolean().optional().describe('Whether the broker keeps it for those who come later.'),
    retained: z
      .enum(['process', 'ignore'])
      .optional()
      .describe('Of what is consumed: what becomes of what the broker has kept; process unless said.'),
  })
  .describe('One thing that is published, or consumed: then `topic` is a filter.')
export type MqttOperation = z.output<typeof MqttOperation>

/** An integration of type `mqtt`. */
export const MqttDefinition = z
  .strictObject({
    type: z.literal('mqtt'),
    ...brokerKeys,
    clientId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('What the broker knows it by: svc-<domain>-<name> unless said.'),
    keepAlive: DurationText.optional().describe('How often it shows that it is there: 60s unless said.'),
    sessionExpiry: DurationText.optional().describe(
      'How long the broker keeps what it missed: 1h unless said.',
    ),
    operations: z.record(z.string(), MqttOperation).optional().describe('What it does, by name.'),
  })
  .describe('A broker that speaks MQTT 5.')
