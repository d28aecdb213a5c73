import type { Site } from '@svc/domain/contract'
import type { Auth } from '../auth/auth.ts'
import type { Parts } from '../parts.ts'
import type { Common } from './integration.ts'
import type { OperationPlace } from './operation.ts'
import { compileTimeout } from './timeout.ts'

const TIMEOUT_MS = 10_000

/** Where the operations of an integration are compiled. */
export const placeOf = (
  { timeout }: { readonly timeout?: string | undefined },
  around: {
    readonly common: Common
    readonly auth: readonly Auth[]
    readonly site: Site
    readonly parts: Parts
  },
): OperationPlace => {
  const { common, auth, site, parts } = around
  return {
    site,
    parts,
    integration: common.name,
    secrets: auth.flatMap(({ secrets }) => secrets),
    execute: common.execute,
    timeoutMs: compileTimeout(timeout, [common.name, 'timeout'], site) ?? TIMEOUT_MS,
    retry: common.resilience.retry,
  }
}
