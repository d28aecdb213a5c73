import { z } from 'zod'
import { apiKey } from './api-key.ts'
import { basic } from './basic.ts'
import { bearer } from './bearer.ts'
import { awsSigv4 } from './aws-sigv4.ts'
import { hmacSignature } from './hmac-signature.ts'
import { ipWhitelist } from './ip-whitelist.ts'
import { authorizationCode } from './oauth/authorization-code.ts'
import { clientCredentials } from './oauth/client-credentials.ts'
import { mtls } from './mtls.ts'

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
    clientCredentials.definition,
    authorizationCode.definition,
  ])
  .describe('How requests are authorized. Secrets are one variable and nothing else: ${NAME}.')
export type AuthDefinition = z.output<typeof AuthDefinition>
