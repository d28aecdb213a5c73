import type { WriteOptions } from '@svc/domain/contract'
import type { Call } from '@svc/kernel'

/**
 * How `data.write` does what a request asks once: who sends it again with its `Idempotency-Key` does nothing a second time.
 * `name` is what is done, and to what; `of` is what was sent with it.
 */
export function onceOf(call: Call, name: string, of: unknown): WriteOptions {
  const key = call.request?.meta('idempotency-key')
  return key === undefined ? {} : { once: { name, key, of } }
}
