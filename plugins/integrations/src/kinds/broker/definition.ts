import { z } from 'zod'
import { authorityKeys } from '../../auth/authorities.ts'
import { basic } from '../../auth/basic.ts'
import { mtls } from '../../auth/mtls.ts'
import { commonKeys, sendingKeys } from '../../definition/integration.ts'
import { operationKeys } from '../../definition/operation.ts'

const BrokerAuth = z.discriminatedUnion('type', [basic.definition, mtls.definition])

/** The keys of integrations that lead to a broker. */
export const brokerKeys = {
  ...commonKeys,
  ...sendingKeys,
  ...authorityKeys,
  auth: z
    .union([BrokerAuth, z.array(BrokerAuth).min(1).max(2)])
    .optional()
    .describe('A name and a password (basic), a certificate (mtls), or both.'),
  url: z.string().optional().describe('Where the broker is, with name and password: ${NAME}.'),
  host: z.string().min(1).optional().describe('The broker, in place of `url`.'),
  port: z.int().min(1).max(65_535).optional().describe('Its port.'),
  tls: z.boolean().optional().describe('Whether TLS is spoken; true unless said.'),
} as const

/** The keys of operations that publish and consume. */
export const brokerOperationKeys = {
  ...operationKeys,
  direction: z.enum(['publish', 'consume']).optional().describe('publish unless said.'),
  body: z.json().optional().describe('Of what is published: a mapping, sent as JSON, or a text.'),
  format: z.enum(['json', 'text']).optional().describe('What messages are: json unless said.'),
  dedupe: z
    .string()
    .min(1)
    .optional()
    .describe('What a message that came in is told by from those before: an expression.'),
} as const

/** What is written of a broker. */
export type BrokerDefinition = z.output<z.ZodObject<typeof brokerKeys>>
/** What is written of an operation at a broker. */
export type BrokerOperation = z.output<z.ZodObject<typeof brokerOperationKeys>>
