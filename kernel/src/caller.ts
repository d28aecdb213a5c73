import { brand } from './brand.ts'
import { AppError } from './errors.ts'

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

/**
 * What a handler was told of its caller does not hold any more, and nothing of its work was kept: the pipeline asks
 * anew who calls and what they may do, and runs the action again. Callers inside the process meet it as UNAVAILABLE.
 */
export class CallerChanged extends AppError {
  static {
    brand(this, 'CallerChanged')
  }

  constructor() {
    super('UNAVAILABLE', 503, 'The rights of the caller have changed meanwhile: try again')
  }
}
