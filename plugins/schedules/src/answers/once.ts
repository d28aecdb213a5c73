import type { WriteOptions } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'

/** Who sends a request again with its `Idempotency-Key` does nothing a second time; `of` is what was sent with it. */
export function onceOf(call: Call, name: string, of: Readonly<Record<string, unknown>>): WriteOptions {
  const key = call.request?.meta('idempotency-key')
  return key === undefined ? {} : { once: { name: `schedules ${name}`, key, of } }
}
