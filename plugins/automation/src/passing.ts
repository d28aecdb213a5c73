import { passedOverAt, type Resource } from '@svc/domain/contract'
import type { AppError, Logger } from '@svc/kernel'
import type { Reader, Value } from '@svc/store/contract'

/** A record that is passed over, and by what. */
export interface Passing {
  /** By what: `workflow`, `schedule`, `template`, `rule`. */
  readonly by: { readonly kind: string; readonly name: string }
  readonly resource: Resource
  readonly key: Value
  readonly why: AppError
}

/** Tells the log of a record that what runs by itself has passed over. */
export const logPassing = (log: Pick<Logger, 'info'>, { by, resource, key, why }: Passing): void =>
  log.info(
    { by: by.kind, name: by.name, resource: resource.name, recordId: String(key), code: why.code },
    'automation.passed_over',
  )

/** Refuses to do something by itself to a record that is to be passed over, with the error that says why. */
export async function assertNotPassedOver(resource: Resource, key: Value, reader: Reader): Promise<void> {
  const why = await passedOverAt(resource, key, reader)
  if (why !== undefined) throw why
}
