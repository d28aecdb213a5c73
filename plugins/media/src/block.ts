import { blockKey, type DomainBlock, type DomainPart, type Model } from '@svc/domain/contract'
import { z } from 'zod'
import { bulkDeleteAction, deleteAction } from './actions/remove.ts'
import { getAction } from './actions/get.ts'
import { listAction, orphansAction } from './actions/list.ts'
import { uploadAction } from './actions/upload.ts'
import { documentation } from './documentation.ts'
import { refersToMedia } from './fields/referring.ts'
import { isPlaceTaken } from './library/path.ts'
import type { Library, Means } from './setting.ts'
import { type Tiers, tiersOf, WrittenTiers } from './tiers.ts'

/** What a definition says under `media`. */
const MediaDefinition = z.strictObject({
  permissions: WrittenTiers.optional().describe('Who may do what in the library.'),
  enforce: z
    .boolean()
    .optional()
    .describe(
      'Whether fields take items of the library alone, and those that meet their constraints; true unless said.',
    ),
})
type MediaDefinition = z.output<typeof MediaDefinition>

/** What the key makes of a domain. */
export interface DomainMedia {
  readonly tiers: Tiers
  /** Whether fields take items of the library alone. */
  readonly isEnforced: boolean
}
export const MEDIA = blockKey<DomainMedia>('media')

/** The key `media` of a domain: its library, whether the key is there or not. */
export const mediaBlock = (
  means: Means,
  configured: WrittenTiers,
): DomainBlock<MediaDefinition, DomainMedia> => ({
  on: 'domain',
  key: MEDIA.key,
  schema: MediaDefinition.describe('The library of the domain, and what fields may take of it.'),
  compile(written, { model }) {
    const tiers = tiersOf(written?.permissions, configured)
    return {
      made: { tiers, isEnforced: written?.enforce ?? true },
      ...(hasLibrary(model, written) && libraryPart({ ...means, domain: model.name, tiers })),
    }
  },
})

/** A resource may have the library's place where nothing in the definition speaks of media. */
const hasLibrary = (model: Model, written: MediaDefinition | undefined): boolean =>
  written !== undefined || !isPlaceTaken(model) || [...model.resources.values()].some(refersToMedia)

const libraryPart = (library: Library): Pick<DomainPart, 'actions' | 'describe'> => ({
  actions: [
    uploadAction(library),
    listAction(library),
    orphansAction(library),
    getAction(library),
    deleteAction(library),
    bulkDeleteAction(library),
  ],
  describe: () => ({ openapi: documentation }),
})
