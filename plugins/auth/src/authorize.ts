import { errors, type Exchange } from '@svc/kernel'
import { isPublic } from './authenticate.ts'
import { unauthorized } from './errors.ts'

/** Refuses callers who may not run the action: 401 those nobody knows, 403 the others. */
export function authorize({ action, caller }: Exchange): void {
  if (isPublic(action)) return
  if (caller.kind === 'anonymous') throw unauthorized()
  const { access } = action
  // The handler decides with the record at hand.
  if (access === 'record') return
  if (access.includes('authenticated') || caller.roles.some((role) => access.includes(role))) return
  throw errors.FORBIDDEN({
    message: `The operation '${action.name}' is not open to you`,
    explanation: access.length === 0 ? 'it is open to nobody' : `it is open to ${access.join(', ')}`,
  })
}
