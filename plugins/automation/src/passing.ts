import { type Model, passedOverAt, type Resource } from '@svc/domain/contract'
import type { AppError, Logger } from '@svc/kernel'
import type { Reader, Value } from '@svc/store/contract'

/** A record that is about to be worked with, and by what. */
export interface Passing {
  /** By what: `workflow`, `schedule`, `template`, `rule`, `integration`, `webhook`. */
  readonly by: { readonly kind: string; readonly name: string }
  readonly resource: Resource
  readonly key: Value
}

/** The same as an outbox has it: the resource by its name, the key as text; null where it is about none. */
export interface KeptPassing extends Pick<Passing, 'by'> {
  readonly resource: string | null
  readonly recordId: Value
}

type Log = Pick<Logger, 'info'>

/**
 * Why what runs by itself passes over a record now, which the log tells then; undefined where it does not. It is asked before anything is put
 * because of a write, and again when the turn of what was put has come.
 */
export async function passOver(passing: Passing, reader: Reader, log: Log): Promise<AppError | undefined> {
  const why = await passedOverAt(passing.resource, passing.key, reader)
  if (why !== undefined) logPassing(log, { ...passing, why })
  return why
}

/** The same of what stands in an outbox, by the model in force: a resource that is gone keeps nothing back. */
export async function passOverKept(
  { by, resource: name, recordId: key }: KeptPassing,
  { resources }: Model,
  reader: Reader,
  log: Log,
): Promise<AppError | undefined> {
  const resource = name === null ? undefined : resources.get(name)
  return resource && passOver({ by, resource, key }, reader, log)
}

/** Tells the log of a record that what runs by itself has passed over. */
export const logPassing = (
  log: Log,
  { by, resource, key, why }: Passing & { readonly why: AppError },
): void =>
  log.info(
    { by: by.kind, name: by.name, resource: resource.name, recordId: String(key), code: why.code },
    'automation.passed_over',
  )

/** Refuses to do something by itself to a record that is to be passed over, with the error that says why. */
export async function assertNotPassedOver(resource: Resource, key: Value, reader: Reader): Promise<void> {
  const why = await passedOverAt(resource, key, reader)
  if (why !== undefined) throw why
}
