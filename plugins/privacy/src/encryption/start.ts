import type { Site } from '@svc/domain/contract'
import type { Jobs } from '@svc/jobs/contract'
import type { Close, Context } from '@svc/kernel'
import type { Management } from '@svc/management/contract'
import type { Codec, Store } from '@svc/store/contract'
import { mixedCodec } from './codec.ts'
import type { EncryptionDefinition } from './definition.ts'
import { compileEncryption, type Encryption } from './encryption.ts'
import { Rings } from './ring.ts'
import { createRotation } from './rotate.ts'
import { keysStatus } from './status.ts'
import { KEYS } from './table.ts'

export interface EncryptionContext extends Context {
  readonly store: Store
  readonly jobs: Jobs
  readonly management: Management | undefined
}

/** What encrypts the domains of this server. */
export interface Encrypting {
  readonly rings: Rings
  /** What opens that which a domain has sealed, whether it still does so or not. */
  opens(domain: string): Codec
  /** Compiles `privacy.encryption`; undefined where it is absent or was reported as wrong. */
  compile(written: EncryptionDefinition | undefined, site: Site): Encryption | undefined
  /** Begins what lives with the model of a domain. */
  readonly open: (encryption: Encryption) => Close
}

/** Makes the table of keys, and what rotates and tells of them. */
export async function startEncryption(context: EncryptionContext): Promise<Encrypting> {
  const { store, jobs, management, env, log } = context
  await store.ensure([KEYS])
  const rings = new Rings(env.now)
  const means = { store, now: env.now, rings }
  const rotation = createRotation(jobs, means, log)
  management?.add(keysStatus(rotation, means))
  return {
    rings,
    opens: (domain) => mixedCodec(domain, rings),
    compile: (written, site) => compileEncryption(written, site, means),
    open: rotation.open,
  }
}
