import { z } from 'zod'
import { authType } from './auth.ts'
import { signAws } from './sigv4.ts'

/** The keys of whoever signs by AWS Signature Version 4. */
export const awsKeys = {
  accessKeyId: z.string().describe('The id of the key: ${NAME}.'),
  secretAccessKey: z.string().describe('The key: ${NAME}.'),
  sessionToken: z.string().optional().describe('The token of a key for a while: ${NAME}.'),
} as const

/** `aws_sigv4`: a signature over all of the request. */
export const awsSigv4 = authType({
  definition: z.strictObject({
    type: z.literal('aws_sigv4'),
    ...awsKeys,
    region: z.string().min(1).describe('The region that the service is in.'),
    service: z.string().min(1).describe('The service, such as execute-api.'),
  }),
  compile({ region, service, sessionToken: token }, path, site, { env }) {
    const accessKeyId = site.secret([...path, 'accessKeyId'])
    const secretAccessKey = site.secret([...path, 'secretAccessKey'])
    const sessionToken = token === undefined ? null : site.secret([...path, 'sessionToken'])
    if (!accessKeyId || !secretAccessKey || sessionToken === undefined) return undefined
    const keys = { accessKeyId, secretAccessKey, sessionToken: sessionToken ?? undefined, region, service }
    return {
      type: 'aws_sigv4',
      headers: ['Authorization', 'X-Amz-Date', 'X-Amz-Content-Sha256', 'X-Amz-Security-Token'],
      query: [],
      secrets: [accessKeyId, secretAccessKey, ...(sessionToken ? [sessionToken] : [])],
      isLast: true,
      async authorize({ method, url, headers, body }) {
        const signed = await signAws({ method, url, headers, body }, keys, env.now())
        return {
          headers: Object.fromEntries(
            Object.entries(signed.headers).filter(([name]) => !Object.hasOwn(headers, name)),
          ),
        }
      },
    }
  },
})
