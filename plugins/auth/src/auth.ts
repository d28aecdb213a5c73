import type { Bus, Environment, Logger } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import type { Background } from './background.ts'
import type { AuthConfig } from './config.ts'
import type { Identities } from './identities.ts'
import type { KeyUse } from './key-use.ts'
import type { Letters } from './letters.ts'
import type { Passwords } from './password.ts'
import type { Reservations } from './reservations.ts'
import type { SignIns } from './sign-in.ts'

/** What the actions of this plugin work with. */
export interface Auth {
  /** The path under which the routes stand. */
  readonly prefix: `/${string}`
  readonly registration: AuthConfig['registration']
  readonly reservations: Reservations
  readonly store: Store
  readonly env: Environment
  readonly log: Logger
  readonly bus: Bus
  readonly newId: () => string
  readonly passwords: Passwords
  readonly identities: Identities
  readonly signIns: SignIns
  readonly keyUse: KeyUse
  readonly letters: Letters
  readonly background: Background
  /** A key of 32 bytes for a purpose, derived of the secret that signs tokens. */
  readonly deriveKey: (purpose: string) => Uint8Array
}
