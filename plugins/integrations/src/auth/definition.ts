import { z } from 'zod'
import { apiKey } from './api-key.ts'
import { basic } from './basic.ts'
import { bearer } from './bearer.ts'
import { awsSigv4 } from './aws-sigv4.ts'
import { hmacSignature } from './hmac-signature.ts'
import { ipWhitelist } from './ip-whitelist.ts'
import { mtls } from './mtls.ts'

/** Auth types that the language names, and this version does not know. */
export const UNSUPPORTED_AUTH = ['oauth2_client_credentials', 'oauth2_authorization_code'] as const

const Unsupported = z
  .looseObject({ type: z.enum(UNSUPPORTED_AUTH) })
  .describe('An auth type that this version does not support.')

/** How one request is authorized. */
export const AuthDefinition = z
  .discriminatedUnion('type', [
    apiKey.definition,
    bearer.definition,
    basic.definition,
    hmacSignature.definition,
    mtls.definition,
    ipWhitelist.definition,
    awsSigv4.definition,
    Unsupported,
  ])
  .describe('How requests are authorized. Secrets are one variable and nothing else: ${NAME}.')
export type AuthDefinition = z.output<typeof AuthDefinition>
