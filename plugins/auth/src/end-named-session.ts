import { type Caller, errors } from '@svc/kernel'
import type { Auth } from './auth.ts'
import { isId, keyOf } from './fields.ts'
import { endSession } from './sessions.ts'

/** Ends one session of a user, from the next request on. Throws NOT_FOUND where it is no session of theirs. */
export async function endNamedSession(
  { identities }: Auth,
  caller: Caller,
  userId: string,
  session: string,
): Promise<void> {
  const id = keyOf(session)
  const ended = isId(id)
    ? await identities.change(caller, userId, (transaction) => endSession(transaction, userId, id))
    : 0
  if (ended === 0) throw errors.NOT_FOUND({ message: 'No session of this user has this id' })
}
