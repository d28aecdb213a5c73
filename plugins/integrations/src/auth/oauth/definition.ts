import { z } from 'zod'

/** The keys of both grants. */
export const oauthKeys = {
  tokenUrl: z.string().min(1).describe('Where tokens are asked for.'),
  clientId: z.string().min(1).describe('Who this is there.'),
  scopes: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('What is asked for, as a list or a text with blanks.'),
  audience: z.string().min(1).optional().describe('Whom the token is for.'),
  clientAuth: z
    .enum(['basic', 'post'])
    .optional()
    .describe('How the secret is shown: basic, unless said, or post: in the body.'),
  params: z.record(z.string().min(1), z.string()).optional().describe('Further parameters.'),
} as const

export type OauthDefinition = z.output<z.ZodObject<typeof oauthKeys>>
