import { NAMES } from '@svc/files/contract'
import { blockKey, type DomainBlock, type DomainPart, type Model, type Move } from '@svc/domain/contract'
import type { Transaction } from '@svc/store/contract'
import { z } from 'zod'
import { bulkDeleteAction, deleteAction } from './actions/remove.ts'
import { getAction } from './actions/get.ts'
import { listAction, orphansAction } from './actions/list.ts'
import { uploadAction } from './actions/upload.ts'
import { documentation } from './documentation.ts'
import { holdsMedia, mediaFieldsOf, refersToMedia } from './fields/referring.ts'
import { isPlaceTaken } from './library/path.ts'
import type { Library, Means } from './setting.ts'
import { renewReferences } from './references/renew.ts'
import { changesReferences, keepReferences } from './references/write.ts'
import { ITEM, items } from './tables.ts'
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
    const isEnforced = written?.enforce ?? true
    return {
      made: { tiers, isEnforced },
      ...referencesPart(model, isEnforced, means),
      mentions: [
        {
          kind: 'media',
          table: items,
          columns: [ITEM.filename],
          where: { op: 'eq', column: ITEM.domain, value: model.name },
        },
        {
          kind: 'media',
          table: NAMES.table,
          columns: [NAMES.filename],
          where: {
            op: 'exists',
            table: items,
            on: [[ITEM.id, NAMES.id]],
            where: { op: 'eq', column: ITEM.domain, value: model.name },
          },
        },
      ],
      ...(hasLibrary(model, written) && libraryPart({ ...means, domain: model.name, tiers })),
    }
  },
})

/** A resource may have the library's place where nothing in the definition speaks of media. */
const hasLibrary = (model: Model, written: MediaDefinition | undefined): boolean =>
  written !== undefined || !isPlaceTaken(model) || [...model.resources.values()].some(refersToMedia)

/** What keeps references in step: nothing at all in domains without media fields. */
function referencesPart(
  model: Model,
  isEnforced: boolean,
  { files, bus, env }: Means,
): Pick<DomainPart, 'traces' | 'resources' | 'selfContained' | 'concerns' | 'afterWrite'> {
  const { name: domain } = model
  const all = [...model.resources.values()].map((resource) => [resource, mediaFieldsOf(resource)] as const)
  const fields = new Map(all.filter(([, own]) => own.length > 0))
  const keeping = { domain, isEnforced, files, bus, env, fields }
  const traces = {
    holds: holdsMedia,
    renew: (moves: readonly Move[], transaction: Transaction) => renewReferences(domain, moves, transaction),
  }
  if (fields.size === 0) return { traces }
  return {
    traces,
    resources: new Set(fields.keys()),
    concerns: (change) => changesReferences(change, keeping),
    selfContained: true,
    afterWrite: (change, writes) => keepReferences(change, keeping, writes),
  }
}

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
