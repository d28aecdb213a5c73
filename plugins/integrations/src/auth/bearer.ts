import { z } from 'zod'
import { authType } from './auth.ts'
import { revealed } from './secret.ts'

/** `bearer`: a token (RFC 6750, section 2.1). */
export const bearer = authType({
  definition: z.strictObject({
    type: z.literal('bearer'),
    token: z.string().describe('The token: ${NAME}.'),
  }),
  compile(_, path, site) {
    const secret = site.secret([...path, 'token'])
    return (
      secret && {
        type: 'bearer',
        headers: ['Authorization'],
        query: [],
        secrets: [secret],
        authorize: () => ({ headers: { Authorization: `Bearer ${revealed(secret)}` } }),
      }
    )
  },
})
