import { type BelongsTo, blockKey, type ResourceBlock, type ResourceSite } from '@svc/domain/contract'
import { type Method, SubjectDefinition } from './definition.ts'
import { nearestTo } from './compile/near.ts'

/** What a resource says of its own under `privacy`. */
export interface Lineage {
  /** The relationships that lead to the person; undefined: all that lead to resources. */
  readonly subject: readonly BelongsTo[] | undefined
  readonly erase: Method | undefined
}

/** What `site.made` answers for a resource with the key. */
export const LINEAGE = blockKey<Lineage>('privacy')

/** The key `privacy` of a resource: by which of its relationships a record belongs to a person. */
export const subjectBlock: ResourceBlock<SubjectDefinition, Lineage> = {
  on: 'resource',
  key: 'privacy',
  schema: SubjectDefinition,
  compile(written, site) {
    if (written === undefined) return undefined
    const { subject, erase } = written
    const made = { subject: subject?.flatMap((name, at) => linkOf(name, at, site)), erase }
    return {
      made,
      describe: () => ({ schema: { privacy: { subject, erase } } }),
    }
  },
}

function linkOf(name: string, at: number, site: ResourceSite): readonly BelongsTo[] {
  const { relationships } = site.resource
  const found = relationships.get(name)
  if (found?.kind === 'belongsTo') return [found]
  const others = [...relationships.values()].filter(({ kind }) => kind === 'belongsTo').map((one) => one.name)
  site.problem(
    ['subject', at],
    found ? `'${name}' is no belongsTo` : `'${site.resource.name}' has no relationship '${name}'`,
    nearestTo(name, others) ?? 'Name relationships whose key stands in this resource',
  )
  return []
}
