import { errors } from '@svc/kernel'
import type { Reader } from '@svc/store/contract'
import { z } from 'zod'
import { findNamed, type User } from '../users.ts'

/** What names a user in a path. */
export const named = z.strictObject({ user: z.string().describe('The id or the username') })

export type Named = z.output<typeof named>

/** The user that an administrator names by id or username. Throws NOT_FOUND. */
export async function namedUser(reader: Reader, idOrUsername: string): Promise<User> {
  const user = await findNamed(reader, idOrUsername)
  if (user === undefined) throw errors.NOT_FOUND({ message: 'No user has this id or username' })
  return user
}
