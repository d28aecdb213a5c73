import { assertWellFormed, StartupError } from '@svc/kernel'
import type { Tally } from '../contract.ts'
import type { SeedRecord } from '../manifest.ts'
import { idsOf } from '../record-id.ts'
import { addressOf, createReferences, type References } from '../references.ts'
import { createFindResource, type Resource } from '../resources.ts'
import { isThereAlready, reasonOf, tally } from '../tally.ts'
import type { Run } from './run.ts'

/** A record that is ready to be made. */
interface Planned {
  readonly record: SeedRecord
  readonly resource: Resource
  /** What to add to the record, so that it has its key. */
  readonly identity: Readonly<Record<string, unknown>>
}

/** The records of a manifest, checked against what is there. */
export interface DataPlan {
  readonly planned: readonly Planned[]
  readonly references: References
}

/** Finds every resource and every reference before anything is written. Throws a StartupError. */
export function planData({ manifest, accounts, actions, source }: Run): DataPlan {
  const findResource = createFindResource(actions, source)
  const derived = idsOf(manifest.records)
  const planned = manifest.records.map((record): Planned => {
    const resource = findResource(record)
    const hasOwn = Object.hasOwn(record.values, resource.key)
    if (hasOwn || !takesDerived(resource, record)) return { record, resource, identity: {} }
    return { record, resource, identity: { [resource.key]: derived.get(record) } }
  })
  const references = createReferences({ source, accounts, ids: keyedIds(planned, source) })
  for (const { record } of planned) references.check(record)
  return { planned, references }
}

/** Makes the records in the order of the manifest, as the server itself. */
export const seedData = ({ planned, references }: DataPlan, { call, source }: Run): Promise<Tally> =>
  tally(planned, async ({ record, resource, identity }) => {
    try {
      const values = await references.resolve(record)
      assertWellFormed(values)
      await call(resource.create, { data: { ...identity, ...Object(values) } })
    } catch (error) {
      if (isThereAlready(error) || error instanceof StartupError) throw error
      const name = record.key === undefined ? record.resource : `${record.resource}.${record.key}`
      throw source.fault(record.path, `'${name}' is refused: ${reasonOf(error)}`)
    }
  })

/** An id of text can be derived; one that the store counts cannot. */
function takesDerived({ keyKind = 'uuid' }: Resource, { key }: SeedRecord): boolean {
  return keyKind === 'uuid' || (keyKind === 'text' && key !== undefined)
}

/** The ids of the records with a key, by their address. */
function keyedIds(planned: readonly Planned[], source: Run['source']): ReadonlyMap<string, unknown> {
  const ids = new Map<string, unknown>()
  for (const { record, resource, identity } of planned) {
    const { domain, key, path } = record
    if (key === undefined) continue
    const id = identity[resource.key] ?? record.values[resource.key]
    if (id === undefined) throw source.fault(path, `keys of '${resource.name}' cannot be made of a _key`)
    const address = addressOf(domain, resource.name, key)
    if (ids.has(address)) {
      throw source.fault(
        path,
        `the _key '${key}' stands twice in '${resource.name}'`,
        'Rename one of the two',
      )
    }
    ids.set(address, id)
  }
  return ids
}
