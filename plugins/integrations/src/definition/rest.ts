import { z } from 'zod'
import { authorityKeys } from '../auth/authorities.ts'
import { AuthDefinition } from '../auth/definition.ts'
import { commonKeys, sendingKeys } from './integration.ts'
import { operationKeys, Values } from './operation.ts'

const RestOperation = z
  .strictObject({
    ...operationKeys,
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
  })
  .describe('One thing that is done elsewhere.')
export type RestOperation = z.output<typeof RestOperation>

export const RestDefinition = z
  .strictObject({
    type: z.literal('rest'),
    ...commonKeys,
    ...sendingKeys,
    auth: z
      .union([AuthDefinition, z.array(AuthDefinition).min(1)])
      .optional()
      .describe('How requests are authorized: one way, or several that all apply.'),
    baseUrl: z.string().min(1).describe('Where its paths begin: https, without a query.'),
    headers: Values.optional().describe("Headers of every request; an operation's own win."),
    query: Values.optional().describe("Query parameters of every request; an operation's own win."),
    redirects: z.int().min(0).max(5).optional().describe('How many redirects are followed; 0 unless said.'),
    operations: z.record(z.string(), RestOperation).optional().describe('What it does, by name.'),
    ...authorityKeys,
  })
  .describe('An interface over HTTP.')
export type RestDefinition = z.output<typeof RestDefinition>
