import { type Site, compileDoor } from '@svc/domain/contract'
import { compileAuth } from '../auth/compile.ts'
import {
  type IntegrationDefinition,
  type RestDefinition,
  UNSUPPORTED_OF_INTEGRATION,
} from '../definition/integration.ts'
import type { Integration, Operation } from '../integration.ts'
import type { Parts } from '../parts.ts'
import { compileLog } from './log.ts'
import { checkDistinct, checkName, refuseUnsupported } from './names.ts'
import { compileNotices } from './notices.ts'
import { compileResilience } from './resilience.ts'
import { compileOperation } from './operation.ts'
import { compileTimeout } from './timeout.ts'
import { compileWebhook } from './webhook.ts'

const TIMEOUT_MS = 10_000

/** Compiles an integration; undefined where something is wrong, which is reported. */
export function compileIntegration(
  name: string,
  written: IntegrationDefinition,
  site: Site,
  parts: Parts,
): Integration | undefined {
  checkName(name, [name], site, 'an integration')
  if (written.type === 'rest') return compileRest(name, written, site, parts)
  if (written.type === 'webhook') return compileWebhook(name, written, site, parts)
  site.problem(
    [name, 'type'],
    `'${written.type}' is not supported by this version`,
    "Write 'rest' or 'webhook', or take the integration away",
  )
  return undefined
}

function compileRest(
  name: string,
  written: RestDefinition,
  site: Site,
  parts: Parts,
): Integration | undefined {
  const { permissions = {}, enabled = true } = written
  refuseUnsupported(written, UNSUPPORTED_OF_INTEGRATION, [name], site)
  checkBase(name, written, site, parts)
  const auth = compileAuth(written.auth, [name, 'auth'], site, parts.env)
  const door = (key: keyof typeof permissions) =>
    compileDoor(permissions[key], [name, 'permissions', key], site, `integration '${name}'`)
  const [view, execute, manage] = [door('view'), door('execute'), door('manage')]
  const resilience = compileResilience(written, [name], site)
  const log = compileLog(written, [name], site)
  const notices = compileNotices(name, written, site, parts)
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
    execute,
    timeoutMs,
    retry: resilience.retry,
    parts,
  }
  const operations = new Map<string, Operation>()
  for (const [one, operation] of listed) {
    const compiled = compileOperation(one, operation, place)
    if (compiled) operations.set(one, compiled)
  }
  if (auth === undefined) return undefined
  const { type, label, description } = written
  return {
    name,
    type,
    label,
    description,
    enabled,
    auth,
    view,
    execute,
    manage,
    resilience,
    log,
    as: written.as,
    notices,
    operations,
  }
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
