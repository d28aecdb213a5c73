import { type Domains, IDEMPOTENCY } from '@svc/domain/contract'
import type { Files } from '@svc/files/contract'
import type { Context } from '@svc/kernel'
import type { Store } from '@svc/store/contract'
import { MEDIA, mediaBlock, type DomainMedia } from './block.ts'
import type { MediaConfig } from './config.ts'
import type { Media } from './contract.ts'
import { mediaType } from './fields/field-type.ts'
import { createKeep } from './keep.ts'
import { itemOfFile } from './library/find.ts'
import { createMedia } from './media.ts'
import { items, references } from './tables.ts'
import { tiersOf } from './tiers.ts'

export interface MediaContext extends Context {
  readonly config: MediaConfig
  readonly store: Store
  readonly domains: Domains
  readonly files: Files
}

/** Makes the tables of media, and adds its key to the language. */
export async function startMedia(context: MediaContext): Promise<Media> {
  const { config, store, domains, files, env, bus } = context
  await store.ensure([items, references, IDEMPOTENCY])
  const keep = createKeep(files, { bus, env })
  const answers = { store, env, running: new Set<string>() }
  domains.fieldType(mediaType((domain) => madeOf(domain, domains)?.isEnforced ?? true))
  const means = { files, domains, bus, env, keep, answers }
  const configured = tiersOf(config.permissions)
  const media = createMedia(store, means, (domain) => madeOf(domain, domains)?.tiers ?? configured)
  domains.block(mediaBlock(means, config.permissions))
  files.owner(async (file, reader) => {
    const item = await itemOfFile(file.id, reader)
    return item && { what: 'an item of a library', mayRead: (caller) => media.mayBrowse(caller, item) }
  })
  return media
}

/** What the key `media` has made of a domain in force. */
function madeOf(domain: string, domains: Domains): DomainMedia | undefined {
  const placed = domains.model(domain)?.parts.find(({ key }) => key === MEDIA.key)
  return placed?.part.made as DomainMedia | undefined
}
