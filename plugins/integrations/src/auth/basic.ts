import { z } from 'zod'
import { authType } from './auth.ts'
import { revealed } from './secret.ts'

/** `basic`: a name and a password (RFC 7617). */
export const basic = authType({
  definition: z.strictObject({
    type: z.literal('basic'),
    username: z.string().min(1).describe('The name.'),
    password: z.string().describe('The password: ${NAME}.'),
  }),
  compile({ username }, path, site) {
    const secret = site.secret([...path, 'password'])
    if (username.includes(':')) {
      site.problem([...path, 'username'], 'must not have a colon', 'The password begins behind the first one')
      return undefined
    }
    return (
      secret && {
        type: 'basic',
        headers: ['Authorization'],
        query: [],
        secrets: [secret],
        authorize() {
          const pair = Buffer.from(`${username}:${revealed(secret)}`).toString('base64')
          return { headers: { Authorization: `Basic ${pair}` } }
        },
      }
    )
  },
})
