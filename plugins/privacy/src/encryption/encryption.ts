import { compileDuration } from '@svc/automation/contract'
import type { Model, Problem, Site } from '@svc/domain/contract'
import type { Codec } from '@svc/store/contract'
import { mixedCodec } from './codec.ts'
import { configuredKeys } from './configured.ts'
import type { EncryptionDefinition } from './definition.ts'
import { KeyMissing, type KeptKeys, KeyWrong, openRing } from './keep.ts'
import type { Rings } from './ring.ts'
import type { WrappingKeys } from './wrapping-keys.ts'

/** What the encryption of domains works with. */
export interface Means extends KeptKeys {
  readonly rings: Rings
}

/** How a domain encrypts. */
export interface Encryption {
  readonly model: Model
  readonly wrapping: WrappingKeys
  /** After how many milliseconds values are written with another key; undefined: never. */
  readonly rotationMs: number | undefined
  /** Seals what is made of values of the domain. */
  readonly seals: Codec
  /** Fetches the keys of the domain, and makes those that nobody has made; answers what is wrong with the configured ones. */
  ready(): Promise<readonly Problem[]>
}

/** Compiles `privacy.encryption`; undefined where it is absent or was reported as wrong. */
export function compileEncryption(
  written: EncryptionDefinition | undefined,
  site: Site,
  means: Means,
): Encryption | undefined {
  if (written === undefined) return undefined
  const { keyRotation } = written
  const rotation =
    keyRotation === undefined ? undefined : compileDuration(keyRotation, ['encryption', 'keyRotation'], site)
  const wrapping = configuredKeys(written, ['encryption'], site)
  if (wrapping === undefined) return undefined
  const { model } = site
  return {
    model,
    wrapping,
    rotationMs: rotation?.ms,
    seals: mixedCodec(model.name, means.rings),
    async ready() {
      try {
        await fetchKeys({ model, wrapping }, means)
        return []
      } catch (error) {
        if (!(error instanceof KeyMissing || error instanceof KeyWrong)) throw error
        const path = ['domain', 'privacy', 'encryption', 'keyVariable']
        return [{ path, message: error.message, hint: 'Keep it behind the others until the first wraps all' }]
      }
    },
  }
}

/** Fetches the keys of a domain as they are kept now. Throws KeyMissing and KeyWrong. */
export async function fetchKeys(
  { model, wrapping }: Pick<Encryption, 'model' | 'wrapping'>,
  means: Means,
): Promise<void> {
  means.rings.set(model.name, await openRing(model.name, wrapping, means))
}
