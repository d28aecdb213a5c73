import type { Action } from '@svc/kernel'
import { changeEmail } from './actions/change-email.ts'
import { changePassword } from './actions/change-password.ts'
import { endOwnSession } from './actions/end-session.ts'
import { forgotPassword } from './actions/forgot-password.ts'
import { listOwnSessions } from './actions/list-sessions.ts'
import { login } from './actions/login.ts'
import { logoutAll } from './actions/logout-all.ts'
import { logout } from './actions/logout.ts'
import { me } from './actions/me.ts'
import { refresh } from './actions/refresh.ts'
import { register } from './actions/register.ts'
import { removeAccount } from './actions/remove-account.ts'
import { resendVerification } from './actions/resend-verification.ts'
import { resetPassword } from './actions/reset-password.ts'
import { verifyEmail } from './actions/verify-email.ts'
import { apiKeyActions } from './admin/api-keys.ts'
import { roleActions } from './admin/roles.ts'
import { sessionActions } from './admin/sessions.ts'
import { userActions } from './admin/users.ts'
import type { Auth } from './auth.ts'

/** Everything that this plugin can be asked to do. Tokens, keys and accounts are in the answers: nobody is to keep them. */
export const authActions = (auth: Auth): readonly Action[] =>
  [
    ...OWN.map((make) => make(auth)),
    ...userActions(auth),
    ...sessionActions(auth),
    ...roleActions(auth),
    ...apiKeyActions(auth),
  ].map((action) => ({ ...action, headers: NO_STORE }))

/** RFC 9111, section 5.2.2.5. */
const NO_STORE = { 'Cache-Control': 'no-store' }

/** What users do about their own accounts. */
const OWN = [
  login,
  register,
  refresh,
  me,
  logout,
  logoutAll,
  listOwnSessions,
  endOwnSession,
  changePassword,
  forgotPassword,
  resetPassword,
  verifyEmail,
  resendVerification,
  changeEmail,
  removeAccount,
]
