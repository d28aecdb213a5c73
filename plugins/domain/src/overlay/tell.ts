import type { Bus } from '@svc/kernel'
import type { Transaction } from '@svc/store/contract'
import type { Alteration } from '../contract/columns.ts'
import type { Asker } from '../contract/data.ts'
import type { Model } from '../model/model.ts'
import type { Runtime } from '../runtime.ts'
import type { Altered } from './alter.ts'

/** Where and for whom columns are changed. */
interface Telling {
  /** The model that is in force afterwards. */
  readonly to: Model
  readonly asker: Asker
  readonly at: string
  readonly runtime: Runtime
}

/** An alteration whose work after the commit nobody has done yet. */
export type Untold = Alteration & { readonly afterCommit: (() => void)[] }

/** A change of columns as blocks see it. */
export const alterationOf = (
  { column, change, previousName }: Altered,
  { to, asker, at, runtime }: Telling,
): Untold => ({
  eventId: runtime.newId(),
  domain: to.name,
  resource: to.resources.get(column.resource)!,
  change,
  column: column.name,
  previousName,
  type: column.definition.type ?? '',
  caller: asker.caller,
  at,
  requestId: asker.requestId ?? '',
  newId: runtime.newId,
  afterCommit: [],
})

/** Tells the blocks of a model of a change of columns, inside its transaction, which may run again. */
export async function tellParts(
  alteration: Untold,
  { parts }: Model,
  transaction: Transaction,
): Promise<void> {
  alteration.afterCommit.length = 0
  for (const { part, resource } of parts)
    if (resource === undefined || resource === alteration.resource)
      await part.altered?.(alteration, transaction)
}

/** Tells the bus of a change of columns that is durable. */
export function announce(alteration: Untold, bus: Bus): void {
  const { eventId, domain, resource, change, column, previousName, type, caller, at, requestId } = alteration
  bus.emit(`${resource.actionPrefix}schemaChanged`, {
    id: eventId,
    recordId: null,
    domain,
    resource: resource.name,
    action: 'schemaChanged',
    record: null,
    previous: null,
    change,
    column,
    previousName,
    type,
    actor: { id: caller.id, username: caller.username },
    at,
    requestId,
  })
  for (const work of alteration.afterCommit) work()
}
