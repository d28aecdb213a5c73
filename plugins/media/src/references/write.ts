import { type Change, type Field, finding, invalid, type Resource, type Writes } from '@svc/domain/contract'
import type { Files } from '@svc/files/contract'
import { StoreConflict } from '@svc/store/contract'
import { idsIn } from '../fields/referring.ts'
import type { Telling } from '../library/telling.ts'
import { releaseItems } from './release.ts'
import { addReferences, appendReferences, dropReferences, known, type Referring } from './rows.ts'

/** How the references of a domain are kept in step with the values of its records. */
export interface Keeping extends Telling {
  readonly domain: string
  readonly isEnforced: boolean
  readonly files: Files
  /** The fields of each resource that hold ids of items; resources without any are left out. */
  readonly fields: ReadonlyMap<Resource, readonly Field[]>
}

/** What a change does to the references of its record. */
interface Difference {
  readonly field: Field
  readonly added: readonly string[]
  readonly dropped: readonly string[]
}

/** Whether a change adds or drops references: others ask nothing of the store. */
export const changesReferences = (change: Change, keeping: Keeping): boolean =>
  change.kind === 'create' ? refersToItems(change, keeping) : differencesOf(change, keeping).length > 0

/** Writes the references of a changed record, in its transaction. */
export function keepReferences(change: Change, keeping: Keeping, writes: Writes): Promise<void> {
  // A record that is new has no reference yet, and items that are held stay: nothing can be in the way.
  const added = change.kind === 'create' ? referencesOf(change, keeping) : undefined
  return added?.every(({ field, ids }) => ids.length === 0 || isVerified(change, field, keeping)) === true
    ? appendReferences(keeping.domain, added, writes)
    : keepDifference(change, keeping, writes)
}

async function keepDifference(change: Change, keeping: Keeping, writes: Writes): Promise<void> {
  const { domain } = keeping
  const found = differencesOf(change, keeping)
  const rows = (pick: (one: Difference) => readonly string[]) =>
    found.flatMap((one): Referring | readonly [] => {
      const ids = pick(one)
      const { resource, key } = change
      return ids.length === 0
        ? []
        : { resource: resource.name, recordId: String(key), field: one.field.name, ids }
    })
  const dropped = rows((one) => one.dropped)
  await dropReferences(domain, dropped, writes)
  const isHeld = ({ field }: Referring) => isVerified(change, field, keeping)
  const added = rows((one) => one.added)
  const unsure = added.filter((one) => !isHeld(one))
  const sure = unsure.length === 0 ? [] : await known(domain, unsure, writes)
  try {
    await addReferences(domain, [...added.filter(isHeld), ...sure], writes)
  } catch (error) {
    throw error instanceof StoreConflict ? gone(change, added) : error
  }
  // What a law takes away is not to be found in the library either.
  if (change.kind === 'overwrite')
    await releaseItems(
      domain,
      dropped.flatMap(({ ids }) => ids),
      keeping,
      writes,
      change,
    )
}

const refersToItems = ({ resource, values }: Change, { fields }: Keeping): boolean =>
  fields.get(resource)?.some((field) => idsIn(values, field).size > 0) === true

/** Everything that a new record refers to. */
const referencesOf = ({ resource, key, values }: Change, { fields }: Keeping): readonly Referring[] =>
  (fields.get(resource) ?? []).map((field) => ({
    resource: resource.name,
    recordId: String(key),
    field: field.name,
    ids: [...idsIn(values, field)],
  }))

/** Whether the write path has asked for the items of a field already, and holds them. */
function isVerified({ kind, resource }: Change, name: string, { isEnforced }: Keeping): boolean {
  return isEnforced && kind !== 'overwrite' && resource.fields.get(name)?.computed === undefined
}

function differencesOf(change: Change, { fields }: Keeping): readonly Difference[] {
  const { kind, resource, values, previous } = change
  const isGone = kind === 'delete'
  if (isGone && resource.features.softDelete) return []
  return (fields.get(resource) ?? []).flatMap((field) => {
    if (!isGone && !Object.hasOwn(values, field.name)) return []
    const before = idsIn(previous, field)
    const after = idsIn(isGone ? undefined : values, field)
    const added = [...after].filter((id) => !before.has(id))
    const dropped = [...before].filter((id) => !after.has(id))
    return added.length + dropped.length === 0 ? [] : { field, added, dropped }
  })
}

/** An item was deleted after the write had looked for it. */
const gone = (change: Change, added: readonly Referring[]) =>
  invalid(
    change,
    added.map(({ field, ids: [value = null] }) => ({
      ...finding('reference', { target: 'item of media', value }),
      field,
    })),
  )
