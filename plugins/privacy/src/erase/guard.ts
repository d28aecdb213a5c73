import type { Change, Resource, Writes } from '@svc/domain/contract'
import { isDeepStrictEqual } from 'node:util'
import type { Privacy } from '../compile/privacy.ts'
import type { RetentionEntry } from '../compile/retention.ts'
import { privacyErrors } from '../errors.ts'
import { holdsOn } from './holds.ts'
import { placeOf } from './referrers.ts'

/** Keeps ordinary writes from what a law asks to be kept. */
export interface Guard {
  readonly resources: ReadonlySet<Resource>
  concerns(change: Change): boolean
  check(change: Change, writes: Writes): Promise<void>
}

/** Kinds of change that leave no value of a record as it was, or may not. */
const KINDS: ReadonlySet<string> = new Set(['update', 'put', 'transition', 'custom', 'revert'])

export function createGuard(privacy: Privacy): Guard {
  const holds = privacy.retention.filter(({ hold }) => hold)
  const resources = new Set(holds.flatMap((entry) => [...entry.resources.keys()]))
  const namesOf = (resource: Resource, { category }: RetentionEntry): readonly string[] =>
    privacy.personal
      .filter((one) => one.resource === resource && one.flags.classification === category)
      .map(({ field }) => field.name)
  /** Values that are there, and would be others. */
  const isChanged = ({ values, previous }: Change, name: string): boolean =>
    Object.hasOwn(values, name) &&
    (previous?.[name] ?? null) !== null &&
    !isDeepStrictEqual(values[name] ?? null, previous?.[name] ?? null)
  const isRemoval = ({ kind, resource }: Change): boolean =>
    kind === 'delete' && !resource.features.softDelete
  return {
    resources,
    concerns: (change) => resources.has(change.resource) && (isRemoval(change) || KINDS.has(change.kind)),
    async check(change, writes) {
      const { resource, previous } = change
      if (previous === undefined) return
      const touched = holds.filter(
        (entry) =>
          entry.resources.has(resource) &&
          (isRemoval(change) || namesOf(resource, entry).some((name) => isChanged(change, name))),
      )
      if (touched.length === 0) return
      const now = change.runtime.env.now()
      const found = await holdsOn([{ resource, row: previous }], privacy, writes, now)
      const [held] = (found.get(placeOf(resource, previous)) ?? []).filter((one) => touched.includes(one))
      if (held === undefined) return
      throw privacyErrors.LEGAL_HOLD({
        message: `'${held.category}' of this ${resource.name} is held: ${held.regulation ?? ''}`,
      })
    },
  }
}
