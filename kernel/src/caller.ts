/** On whose behalf an action runs. */
export interface Caller {
  readonly kind: 'anonymous' | 'user' | 'system'
  /** The user's id; null for the anonymous caller and the system. */
  readonly id: string | null
  readonly username: string | null
  readonly email: string | null
  readonly roles: readonly string[]
  /** Further facts of the credentials that the caller showed. */
  readonly claims: Readonly<Record<string, unknown>>
}

const nobody = { id: null, username: null, email: null, roles: Object.freeze([]), claims: Object.freeze({}) }

/** A caller who showed no credentials. */
export const ANONYMOUS: Caller = Object.freeze({ kind: 'anonymous', ...nobody })

/** The server itself: seeding, schedules, scripts. It passes every permission. */
export const SYSTEM: Caller = Object.freeze({ kind: 'system', ...nobody, username: 'system' })
