import type { Caller } from '@svc/kernel'
import type { Definition, Store } from '@svc/store/contract'
import { domainErrors } from '../errors.ts'
import type { Model } from '../model/model.ts'
import { diffModels } from './diff.ts'
import { addMigration, type StoredDomain, type StoredVersion, writeDomain } from './journal.ts'
import { describe, lossesOf, refuseHopeless, run, settle } from './plan.ts'
import { reverseWork } from './reverse.ts'

/** A domain from one definition to the next. */
export interface Migration {
  /** Undefined for a new domain. */
  readonly from: { readonly model: Model; readonly stored: StoredDomain } | undefined
  readonly to: { readonly model: Model; readonly stored: StoredDomain }
  readonly allowDestructive: boolean
  readonly id: string
  /** Who hears examples of the records that are concerned; undefined: nobody. */
  readonly caller?: Caller | undefined
}

/**
 * Brings tables, values, journal and domain row to the next definition, all in the transaction of `definition`;
 * answers how many statements changed the schema. Throws DESTRUCTIVE_MIGRATION where something would be lost
 * that nobody allowed to lose, and CONFLICT where records would be left without what they have to have.
 */
export async function applyMigration(
  { from, to, allowDestructive, id, caller }: Migration,
  definition: Definition,
  store: Pick<Store, 'explain'>,
): Promise<number> {
  const { steps, skipped } = await settle(diffModels(from?.model, to.model), definition, caller)
  const losses = lossesOf(steps)
  if (losses.length > 0 && !allowDestructive) throw domainErrors.DESTRUCTIVE_MIGRATION({ data: losses })
  refuseHopeless(steps)
  const work = steps.flatMap((step) => step.work)
  const up = await run(work, definition)
  await writeDomain(to.stored, from === undefined, definition)
  if (from && isSameVersion(from.stored, to.stored)) return 0
  await addMigration(
    {
      id,
      domain: to.stored.name,
      number: to.stored.revision,
      fromVersion: from?.stored.version ?? null,
      toVersion: to.stored.version,
      status: 'success',
      stepsApplied: steps.length,
      stepsSkipped: skipped,
      up: [...up],
      down: [...describe(reverseWork(work), store)],
      reversible: losses.length === 0,
      prior: from ? JSON.stringify(versionOf(from.stored)) : null,
      appliedAt: to.stored.updatedAt,
    },
    definition,
  )
  return up.filter(isSchemaStatement).length
}

/** Whether two states of a domain mean the same. */
const isSameVersion = (a: StoredVersion, b: StoredVersion): boolean =>
  a.checksum === b.checksum && a.meaning === b.meaning

const versionOf = ({
  version,
  checksum,
  meaning,
  origin,
  resolved,
  snapshot,
}: StoredDomain): StoredVersion => ({
  version,
  checksum,
  meaning,
  origin,
  resolved,
  snapshot,
})

/** Data steps stand among the statements as comments. */
const isSchemaStatement = (statement: string): boolean => !statement.startsWith('--')
