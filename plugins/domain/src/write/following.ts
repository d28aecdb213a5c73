import type { Warning } from '@svc/kernel'
import { Increment, type Row, type Transaction } from '@svc/store/contract'
import type { Due } from '../contract/due.ts'
import type { Touched } from '../crossing/touched.ts'
import { deriveFrom } from '../model/derived.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { VERSION } from '../model/table.ts'
import { type Companion, companionChange } from './cascade.ts'
import type { Change } from './change.ts'
import { fillChanged } from './defaults.ts'
import { updateRows } from './persist.ts'

/** Stores records that follow a write, as updates in the name of `companion`, each resource's at once; answers these. */
export async function storeFollowing(
  all: readonly Touched[],
  companion: Companion,
  transaction: Transaction,
): Promise<readonly Change[]> {
  const changes = all.map((one) => followingChange(one, companion))
  for (const some of byResource(changes).values()) await updateRows(some, transaction)
  return changes
}

/** Stores them behind the one way in: nobody hears of it. */
export async function storeQuietly(all: readonly Touched[], transaction: Transaction): Promise<void> {
  for (const [{ table, key, derived }, some] of byResource(all)) {
    const rows = some.map((one): Row => {
      const values = valuesOf(one)
      return { [key.name]: one.key, ...values, ...deriveFrom(values, derived) }
    })
    await transaction.updateRows({ table, rows, increments: { [VERSION.name]: new Increment(1) } })
  }
}

/** The record as it was stored has followed what it brought about itself. */
export function takeOver(change: Change, touched: Touched): void {
  const values = valuesOf(touched)
  Object.assign(change.values, values)
  change.record = { ...change.record, ...values }
}

/** Leaves what is due to those who do it later. */
export async function postpone(
  later: readonly Due[],
  { domain, caller, requestId, depth = 0, origin, tell }: Companion,
  { parts }: Model,
  transaction: Transaction,
): Promise<void> {
  for (const due of later) {
    const owner = parts.find(({ part, resource }) => resource === due.resource && part.postpone !== undefined)
    await owner?.part.postpone?.(due, { domain, caller, requestId, depth, origin }, transaction)
  }
  if (later.length > 0) tell(laterWarning(later))
}

function followingChange({ resource, before, row, changed }: Touched, companion: Companion): Change {
  const change = companionChange(companion, 'update', resource, before)
  for (const name of changed) change.values[name] = row[name] ?? null
  fillChanged(change)
  return change
}

const valuesOf = ({ row, changed }: Touched): Row =>
  Object.fromEntries([...changed].map((name) => [name, row[name] ?? null]))

function byResource<T extends { readonly resource: Resource }>(
  all: readonly T[],
): ReadonlyMap<Resource, readonly T[]> {
  const found = new Map<Resource, T[]>()
  for (const one of all) {
    const some = found.get(one.resource)
    if (some) some.push(one)
    else found.set(one.resource, [one])
  }
  return found
}

function laterWarning(later: readonly Due[]): Warning {
  const count = new Set(
    later.flatMap(({ resource, keys }) => keys.map((key) => JSON.stringify([resource.name, key]))),
  ).size
  return {
    rule: 'recompute',
    severity: 'warning',
    message: `${count} further ${count === 1 ? 'record depends' : 'records depend'} on this: ${count === 1 ? 'it is' : 'they are'} worked out in the background, and ${count === 1 ? 'shows its' : 'show their'} old values until then`,
    regulation: null,
  }
}
