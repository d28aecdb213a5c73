import { hkdfSync } from 'node:crypto'
import { type Context, createUuidV7, repeat, StartupError } from '@svc/kernel'
import type { Mailer } from '@svc/mail/contract'
import type { FailureLimit } from '@svc/ratelimit/contract'
import type { Store } from '@svc/store/contract'
import type { Auth } from './auth.ts'
import { createBackground } from './background.ts'
import { watchChanges } from './changes.ts'
import type { AuthConfig } from './config.ts'
import { createIdentities } from './identities.ts'
import { createKeyUse } from './key-use.ts'
import { createLetters } from './letters.ts'
import { createPasswords } from './password.ts'
import { Reservations } from './reservations.ts'
import { ensureRoles } from './roles.ts'
import { createSignIns } from './sign-in.ts'
import { createSweep } from './sweep.ts'
import { TABLES } from './tables.ts'
import { createAccessTokens } from './token.ts'

/** How often what ran out is removed. */
const SWEEP_PERIOD_MS = 600_000

/** What this plugin is given at set-up. */
export type Given = Pick<Context, 'env' | 'log' | 'bus' | 'host' | 'onOpen' | 'onStop'> & {
  readonly config: AuthConfig
  readonly store: Store
  readonly limit: FailureLimit | undefined
  readonly mailer: Mailer | undefined
}

/** Makes the tables and all that the actions work with. Throws a StartupError where the store is another one. */
export async function startAuth({
  config,
  store,
  limit,
  mailer,
  env,
  log,
  bus,
  host,
  onOpen,
  onStop,
}: Given): Promise<Auth> {
  assertStore(config.store, store)
  await store.ensure(TABLES)
  await store.transaction((transaction) => ensureRoles(transaction, config.registration.roles, env.now()))

  const newId = createUuidV7(env)
  const tokens = createAccessTokens(config.jwt, env, newId)
  const background = createBackground(log)
  onStop(background.settled)
  const sweep = createSweep(store, env, config.jwt.access_token_ttl_seconds * 1000)
  onOpen(() => repeat(sweep, { firstMs: 0, everyMs: SWEEP_PERIOD_MS, log, failure: 'auth.sweep_failed' }))
  const development = host.environment === 'development'
  return {
    prefix: `/${config.prefix.slice(1)}`,
    registration: config.registration,
    reservations: new Reservations(),
    store,
    env,
    log,
    bus,
    newId,
    background,
    deriveKey: (purpose) => new Uint8Array(hkdfSync('sha256', config.jwt.secret, '', purpose, 32)),
    passwords: createPasswords({ env, limit, checkStrength: !config.password.disable_checking }),
    identities: createIdentities(store, env, tokens, await watchChanges(store, env)),
    signIns: createSignIns(config.jwt, env, newId, tokens),
    keyUse: createKeyUse(store, env, background),
    letters: createLetters({ env, limit, mailer, links: config.links, development }),
  }
}

function assertStore(wanted: string, { name }: Store): void {
  if (wanted === name) return
  throw new StartupError(
    'auth',
    `the store '${wanted}' is not there; the store that runs is '${name}'`,
    `Set 'auth.store' to '${name}', or the store's 'name' to '${wanted}'`,
  )
}
