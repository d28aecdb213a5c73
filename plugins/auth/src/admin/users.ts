import type { Action } from '@svc/kernel'
import type { Auth } from '../auth.ts'
import { createUser } from './users/create.ts'
import { getUser } from './users/get.ts'
import { listUsers } from './users/list.ts'
import { setRoles } from './users/set-roles.ts'
import { suspendUser } from './users/suspend.ts'
import { unsuspendUser } from './users/unsuspend.ts'
import { verifyUser } from './users/verify.ts'

/** What administrators do about users. */
export const userActions = (auth: Auth): readonly Action[] =>
  [createUser, listUsers, getUser, setRoles, verifyUser, suspendUser, unsuspendUser].map((make) => make(auth))
