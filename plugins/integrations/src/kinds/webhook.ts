import { compileDoor, type Door, type Path, type Site, type Speech } from '@svc/domain/contract'
import type { Known } from '@svc/expression/contract'
import { WebhookDefinition } from '../definition/webhook.ts'
import { compileChecks } from '../inbound/checks.ts'
import { inboundOperation } from '../inbound/operation.ts'
import { compileReplay } from '../inbound/replay.ts'
import type { Operation } from '../operation.ts'
import { compileWrites } from '../write/compile.ts'
import { allOf, type Deed } from '../write/deeds.ts'
import { mappingFunctions } from '../mapping/functions.ts'
import { compileCommon } from '../compile/integration.ts'
import { compileMapping } from '../mapping/mapping.ts'
import { checkDistinct, checkName } from '../compile/names.ts'
import { integrationType } from './type.ts'

/** `webhook`: messages that come in. */
export const webhook = integrationType({
  definition: WebhookDefinition,
  compile(name, written, site, parts) {
    const path: Path = [name]
    const checks = compileChecks(written, path, site)
    const replay = checks && compileReplay(written, checks, path, site)
    const common = compileCommon(name, written, site, parts)
    const speech = speechOf(site, IN_MESSAGES)
    checkIdle(written, path, site)
    const dedupe =
      written.dedupe === undefined ? undefined : site.expression(written.dedupe, [...path, 'dedupe'], speech)
    const { own, listed } = compileOperations(written, path, speech, site, common.execute)
    const body = written.response?.body
    const response =
      body === undefined
        ? undefined
        : compileMapping(
            asMap(body, [...path, 'response', 'body'], site),
            [...path, 'response', 'body'],
            site,
            speechOf(site, IN_ANSWERS),
          )
    if (checks === undefined || (written.dedupe !== undefined && dedupe === undefined)) return undefined
    if (own === undefined || (body !== undefined && response === undefined)) return undefined
    const operations = new Map<string, Operation>()
    for (const [one, operation] of listed) operations.set(one, operation)
    return {
      ...common,
      auth: checks.all.map((check) => ({ ...check, headers: [], query: [], authorize: () => ({}) })),
      operations,
      webhook: {
        format: written.format ?? 'json',
        checks,
        replay,
        dedupe,
        isAsync: written.respond === 'async',
        response: { status: written.response?.status ?? 200, body: response },
        operation: inboundOperation('', own, common.resilience.retry, common.execute, site.model),
      },
    }
  },
})

/** What messages, and answers to them, may be spoken of by. */
const speechOf = ({ model }: Site, names: readonly string[]): Speech => ({
  moment: 'read',
  functions: mappingFunctions(model),
  variables: new Map<string, Known>(names.map((name) => [name, 'unknown'])),
})
const IN_MESSAGES = ['payload', 'headers', 'mapped']
const IN_ANSWERS = ['payload', 'mapped']

function compileOperations(
  written: WebhookDefinition,
  path: Path,
  speech: Speech,
  site: Site,
  execute: Door,
) {
  const { write, operations = {} } = written
  if (write !== undefined && written.operations !== undefined)
    site.problem([...path, 'write'], "stands beside 'operations'", 'Write one of them')
  checkDistinct(Object.keys(operations), [...path, 'operations'], site)
  const deeds: Deed[] = []
  const listed: (readonly [string, Operation])[] = []
  let isSound = true
  if (write !== undefined) {
    const writing = compileWrites(write, { site, path: [...path, 'write'], speech })
    if (writing) deeds.push({ when: undefined, writing })
    else isSound = false
  }
  for (const [name, one] of Object.entries(operations)) {
    const at = [...path, 'operations', name]
    checkName(name, at, site, 'an operation')
    const writing = compileWrites(one.write, { site, path: [...at, 'write'], speech })
    const when =
      one.when === undefined
        ? undefined
        : site.expression(one.when, [...at, 'when'], { ...speech, kind: 'boolean' })
    if (writing === undefined || (one.when !== undefined && when === undefined)) isSound = false
    else {
      const deed = { when, writing }
      deeds.push(deed)
      const may =
        one.permissions === undefined
          ? execute
          : compileDoor(one.permissions, [...at, 'permissions'], site, `operation '${name}'`)
      const { manual = true, description } = one
      listed.push([
        name,
        { ...inboundOperation(name, allOf([deed]), undefined, may, site.model), manual, description },
      ])
    }
  }
  return { own: isSound ? allOf(deeds) : undefined, listed }
}

/** Keys of resilience that mean nothing, or something else, of what comes in. */
function checkIdle(written: WebhookDefinition, path: Path, site: Site): void {
  const { resilience, respond = 'sync' } = written
  if ((written.circuitBreaker ?? resilience?.circuitBreaker) !== undefined)
    site.warning([...path, 'circuitBreaker'], 'means nothing of a webhook')
  if ((written.retry ?? resilience?.retry) !== undefined && respond === 'sync')
    site.warning([...path, 'retry'], "means nothing with 'respond: sync'", "Write 'respond: async'")
  const limit = written.rateLimit ?? resilience?.rateLimit
  if (limit?.onExceeded !== undefined && limit.onExceeded !== 'reject')
    site.problem(
      [...path, 'rateLimit', 'onExceeded'],
      'is reject of a webhook',
      "Write 'reject', or take it away",
    )
}

function asMap(body: unknown, path: Path, site: Site): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  site.problem(path, 'is no map', 'Write names and their values')
  return {}
}
