import type { Domains } from '@svc/domain/contract'
import type { Files } from '@svc/files/contract'
import { type Context, createUuidV7 } from '@svc/kernel'
import type { Media } from '@svc/media/contract'
import type { Render } from '@svc/render/contract'
import type { Store } from '@svc/store/contract'
import { documentsBlock } from './documents-block.ts'
import { storageBlock } from './storage.ts'
import { documents } from './table.ts'
import { templatesBlock } from './templates-block.ts'

/** What all domains of a server work with. */
export interface Means extends DocumentsContext {
  /** Ids in the order in which they are asked for. */
  readonly newId: () => string
}

export interface DocumentsContext extends Context {
  readonly store: Store
  readonly domains: Domains
  readonly files: Files
  readonly media: Media
  readonly render: Render
}

/** Makes the table of documents, and adds the keys of templates to the language. */
export async function startDocuments(context: DocumentsContext): Promise<void> {
  const { store, domains, env } = context
  const means: Means = { ...context, newId: createUuidV7(env) }
  await store.ensure([documents])
  domains.block(storageBlock)
  domains.block(templatesBlock(means))
  domains.block(documentsBlock(means))
}
