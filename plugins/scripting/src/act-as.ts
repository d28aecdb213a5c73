import type { Account, Accounts } from '@svc/auth/contract'
import {
  type Action,
  type Actions,
  assertWellFormed,
  type CallAction,
  type Caller,
  errors,
  SYSTEM,
} from '@svc/kernel'
import { scriptingErrors } from './errors.ts'
import { inputOf } from './input.ts'

/** Runs an action as a user, named by username, or as the system where that is null, so deep; answers its data. */
export type ActAs = (as: string | null, name: string, input: unknown, depth: number) => Promise<unknown>

export interface ActAsOptions {
  readonly accounts: Pick<Accounts, 'find'>
  readonly actions: Pick<Actions, 'find'>
  readonly callAs: (caller: Caller, depth: number) => CallAction
}

/** Makes the way from scripts to actions. A user's rights are looked up at each call: they are those of now. */
export function createActAs({ accounts, actions, callAs }: ActAsOptions): ActAs {
  return async (as, name, given, depth) => {
    assertWellFormed(given)
    const action = actions.find(name)
    if (action === undefined) throw errors.NOT_FOUND({ message: `No action is named '${name}'` })
    const input = inputOf(action, given)
    if (as === null) return callAs(SYSTEM, depth)(name, input)
    const caller = callerOf(await accounts.find(as))
    assertAllowed(action, caller)
    return callAs(caller, depth)(name, input)
  }
}

/** The pipeline asks this of requests; a user is allowed no more by way of a script. */
function assertAllowed({ access, name }: Action, { roles }: Caller): void {
  if (access === 'record' || access.includes('*') || access.includes('authenticated')) return
  if (roles.some((role) => access.includes(role))) return
  throw errors.FORBIDDEN({ message: `The operation '${name}' is not open to this user` })
}

function callerOf(account: Account | undefined): Caller {
  if (account?.status !== 'active') throw scriptingErrors.USER_REFUSED()
  const { id, username, email, roles } = account
  return { kind: 'user', id, username, email, roles, claims: {} }
}
