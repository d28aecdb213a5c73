import type { Site } from '@svc/domain/contract'
import { compileAuth } from '../auth/compile.ts'
import { type RestDefinition, UNSUPPORTED_OF_INTEGRATION } from '../definition/integration.ts'
import type { Integration, Operation } from '../integration.ts'
import type { Parts } from '../parts.ts'
import { compileCommon } from './common.ts'
import { checkDistinct, refuseUnsupported } from './names.ts'
import { compileOperation } from './operation.ts'
import { compileTimeout } from './timeout.ts'

const TIMEOUT_MS = 10_000

/** Compiles an integration of type `rest`; undefined where something is wrong, which is reported. */
export function compileRest(
  name: string,
  written: RestDefinition,
  site: Site,
  parts: Parts,
): Integration | undefined {
  refuseUnsupported(written, UNSUPPORTED_OF_INTEGRATION, [name], site)
  checkBase(name, written, site, parts)
  const auth = compileAuth(written.auth, [name, 'auth'], site, parts.env)
  const common = compileCommon(name, written, site, parts)
  const timeoutMs = compileTimeout(written.timeout, [name, 'timeout'], site) ?? TIMEOUT_MS
  const listed = Object.entries(written.operations ?? {})
  checkDistinct(
    listed.map(([one]) => one),
    [name, 'operations'],
    site,
  )
  const place = {
    site,
    integration: name,
    around: written,
    auth: auth ?? [],
    execute: common.execute,
    timeoutMs,
    retry: common.resilience.retry,
    parts,
  }
  const operations = new Map<string, Operation>()
  for (const [one, operation] of listed) {
    const compiled = compileOperation(one, operation, place)
    if (compiled) operations.set(one, compiled)
  }
  if (auth === undefined) return undefined
  return { ...common, auth, operations }
}

/** Reports a base that no request may go to. */
function checkBase(name: string, { baseUrl, auth }: RestDefinition, site: Site, { outbound }: Parts): void {
  const path = [name, 'baseUrl']
  if (!URL.canParse(baseUrl)) return site.problem(path, 'is no absolute url', 'Write https:// and a host')
  if (/[?#]/.test(baseUrl))
    return site.problem(path, 'has a query or a fragment', "Write parameters under 'query'")
  const fault = outbound.judge(baseUrl, { isConfidential: auth !== undefined })
  if (fault) site.problem(path, `the url ${fault.message}`, fault.hint)
}
