import type { Accounts } from '@svc/auth/contract'
import { type Domains, IDEMPOTENCY } from '@svc/domain/contract'
import type { Files } from '@svc/files/contract'
import type { Context } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { MEDIA, mediaBlock, type DomainMedia } from './block.ts'
import type { MediaConfig } from './config.ts'
import { mediaType } from './fields/field-type.ts'
import { createKeep } from './keep.ts'
import { items, references } from './tables.ts'

export interface MediaContext extends Context {
  readonly config: MediaConfig
  readonly store: Store
  readonly accounts: Accounts
  readonly domains: Domains
  readonly files: Files
}

/** Makes the tables of media, and adds its key to the language. */
export async function startMedia(context: MediaContext): Promise<void> {
  const { config, store, accounts, domains, files, env, bus } = context
  await store.ensure([items, references, IDEMPOTENCY])
  const keep = createKeep(files, env)
  const answers = { store, env, running: new Set<string>(), transaction: accounts.transaction }
  domains.fieldType(mediaType((domain) => madeOf(domain, domains)?.isEnforced ?? true))
  domains.block(mediaBlock({ files, accounts, domains, bus, keep, answers }, config.permissions))
}

/** What the key `media` has made of a domain in force. */
function madeOf(domain: string, domains: Domains): DomainMedia | undefined {
  const placed = domains.model(domain)?.parts.find(({ key }) => key === MEDIA.key)
  return placed?.part.made as DomainMedia | undefined
}
