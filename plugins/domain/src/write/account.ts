import { isoTime } from '@svc/kernel'
import type { AccountRemoving } from '@svc/auth/contract'
import { Access } from '../access/access.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import type { Runtime } from '../runtime.ts'
import { type Change, createChange } from './change.ts'
import { createWriter } from './create-writer.ts'

/** Does to the records of `model` that refer to an account what their `onDelete` says, in the removal's transaction. */
export async function releaseAccount(
  model: Model,
  runtime: Runtime,
  removing: AccountRemoving,
): Promise<void> {
  const { id, caller, requestId, transaction, afterCommit, afterRollback } = removing
  const at = isoTime(runtime.env.now())
  const causeOf = (resource: Resource): Change =>
    createChange({
      kind: 'delete',
      domain: model.name,
      resource,
      access: new Access(resource, caller, runtime.env.now),
      caller,
      runtime,
      requestId,
      at,
      key: id,
      body: undefined,
      afterCommit,
      tell: () => undefined,
    })
  const writer = createWriter(model)
  const refused = { domain: model.name, runtime, requestId, depth: 0, origin: undefined }
  try {
    await writer.releaseAccount(causeOf, transaction)
  } catch (error) {
    afterRollback.push(() => writer.settle(error, refused))
    throw error
  }
}
