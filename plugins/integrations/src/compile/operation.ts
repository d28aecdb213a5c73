import {
  didYouMean,
  evaluationOfFacts,
  type Expression,
  type Parameter,
  parameterKinds,
  type Path,
  type Resource,
  type Site,
  type Speech,
  compileDoor,
  type Door,
} from '@svc/domain/contract'
import type { EvaluationContext, Known } from '@svc/expression/contract'
import type { Row } from '@svc/store/contract'
import { REDACTED } from '@svc/kernel'
import type { Auth } from '../auth/auth.ts'
import { revealed } from '../auth/secret.ts'
import type { RestDefinition } from '../definition/integration.ts'
import { type OperationDefinition, UNSUPPORTED_OF_OPERATION } from '../definition/operation.ts'
import type { Operation } from '../integration.ts'
import type { RetryPolicy } from '../policies.ts'
import type { Parts } from '../parts.ts'
import { attemptHttp } from '../run/attempt-http.ts'
import type { Attempted } from '../run/attempted.ts'
import { mappingFunctions } from '../mapping/functions.ts'
import { showsTo } from '../mapping/shows.ts'
import { readsGuarded } from './guarded.ts'
import { compileInput } from './input.ts'
import type { Shows } from '../mapping/mapping.ts'
import { compileRetry } from './resilience.ts'
import { compileTriggers } from './triggers.ts'
import { compileWrites } from '../write/compile.ts'
import { mappingFault } from '../wire/fault.ts'
import { checkName, refuseUnsupported } from './names.ts'
import type { Message, ShownMessage } from '../wire/message.ts'
import { compileRequest } from './request.ts'
import { compileTimeout } from './timeout.ts'

/** What an operation is compiled with. */
export interface OperationPlace {
  readonly site: Site
  readonly integration: string
  readonly around: RestDefinition
  readonly auth: readonly Auth[]
  readonly execute: Door
  readonly timeoutMs: number
  readonly retry: RetryPolicy | undefined
  readonly parts: Parts
}

/** Compiles an operation of type `rest`; undefined where something is wrong, which is reported. */
export function compileOperation(
  name: string,
  written: OperationDefinition,
  place: OperationPlace,
): Operation | undefined {
  const { site, integration, around, auth, parts } = place
  const path: Path = [integration, 'operations', name]
  checkName(name, path, site, 'an operation')
  refuseUnsupported(written, UNSUPPORTED_OF_OPERATION, path, site)
  const { triggers, resource: heard } = compileTriggers(written.trigger, [...path, 'trigger'], site)
  const named = resourceOf(written.resource, [...path, 'resource'], site)
  if (named !== undefined && heard !== undefined && named !== heard)
    site.problem(
      [...path, 'resource'],
      `its trigger listens to '${heard.name}'`,
      'Name the same resource, or take one of them away',
    )
  const resource = named ?? heard
  const input = compileInput(written.input ?? {}, [...path, 'input'], site, parts.domains)
  const moment = triggers.length > 0 ? 'write' : 'read'
  const functions = mappingFunctions(site.model)
  const before = speechOf(resource, input, BEFORE, moment, functions)
  const when = conditionOf(written.when, [...path, 'when'], site, before)
  const success = conditionOf(
    written.success,
    [...path, 'success'],
    site,
    speechOf(resource, input, AFTER, moment, functions),
  )
  const request = compileRequest(written, around, { integration, operation: name, site, speech: before })
  const timeoutMs = compileTimeout(written.timeout, [...path, 'timeout'], site) ?? place.timeoutMs
  const execute =
    written.permissions === undefined
      ? place.execute
      : compileDoor(
          written.permissions,
          [...path, 'permissions'],
          site,
          `operation '${name}' of '${place.integration}'`,
        )
  if (request === undefined) return undefined
  const writing = compileWrites(written.write, {
    site,
    path: [...path, 'write'],
    speech: speechOf(resource, input, AFTER, moment, functions),
  })
  const sent = [...request.expressions, ...[when, success].filter((one) => one !== undefined)]
  const expressions = [...sent, ...(writing?.expressions ?? [])]
  const isGet = ['GET', 'HEAD'].includes(written.method ?? 'GET')
  const retry =
    written.retry === undefined ? place.retry : compileRetry(written.retry, [...path, 'retry'], site)
  const isTold = (expression: Expression) => !readsGuarded(expression, resource, site.model)
  const shows: Shows = Object.assign(isTold, { mask: REDACTED })
  const sending = { auth, timeoutMs, outbound: parts.outbound, maxBodyBytes: parts.maxBodyBytes }
  return {
    name,
    direction: 'outbound',
    description: written.description,
    resource,
    input,
    manual: written.manual ?? true,
    triggers,
    execute,
    expressions,
    isRead: isGet && writing === undefined,
    isRepeatable:
      isGet || !['POST', 'PATCH'].includes(written.method ?? 'GET') || written.idempotency !== false,
    retry,
    timeoutMs,
    writing,
    answered,
    readsRecord: expressions.some(({ fields, reach }) => fields.size > 0 || reach.size > 0),
    async preview({ runId, facts, finds, reader }, seer) {
      const context = await evaluationOfFacts(facts, sent, reader)
      const shows = await showsTo(seer, facts, sent, site.model, reader)
      const message = await finds.work(context, (found) => request.make(runId, found, shows))
      const shown = previewOf(bounded(message, parts), auth)
      return { request: parts.redaction.json(shown) }
    },
    async build({ runId, facts, finds, reader }) {
      for (const { secrets } of auth) secrets.forEach(revealed)
      const context = await evaluationOfFacts(facts, sent, reader)
      const made = await finds.work(context, (found) => {
        if (when !== undefined && !when.holds(found)) return undefined
        const message = request.make(runId, found)
        return { message, safe: sent.every(isTold) ? message : request.make(runId, found, shows) }
      })
      if (made === undefined) return undefined
      return { message: bounded(made.message, parts), shown: previewOf(made.safe, auth) }
    },
    async attempt(message, { facts, finds, reader, signal }) {
      const redirects = around.redirects ?? 0
      const now = parts.env.now
      const attempted = await attemptHttp(message, { ...sending, redirects, signal, now })
      if (success === undefined || attempted.status === null) return attempted
      const context = await evaluationOfFacts(facts, [success], reader)
      return finds.work(context, (found) => judged(success, attempted, message, found))
    },
  }
}

/** Throws VALIDATION_ERROR, rule `mapping`, for a body over the limit. */
function bounded(message: Message, { maxBodyBytes }: Parts): Message {
  const size = Buffer.byteLength(message.body?.text ?? '')
  if (size > maxBodyBytes)
    throw mappingFault(
      'body',
      `it has ${size} bytes, and may have ${maxBodyBytes} (integrations.max_body_bytes)`,
    )
  return message
}

/** Variables of what is made before anything is sent, and of what judges the answer. */
const BEFORE: readonly (readonly [string, Known])[] = [
  ['mapped', 'unknown'],
  ['transition', 'text'],
]
const AFTER: readonly (readonly [string, Known])[] = [
  ...BEFORE,
  ['response', 'unknown'],
  ['status', 'number'],
  ['headers', 'unknown'],
]

const speechOf = (
  resource: Resource | undefined,
  input: readonly Parameter[],
  variables: readonly (readonly [string, Known])[],
  moment: Speech['moment'],
  functions: NonNullable<Speech['functions']>,
): Speech => ({
  ...(resource && { resource }),
  moment,
  functions,
  variables: new Map<string, Known>([
    ...variables,
    ['input', { kind: 'object', members: parameterKinds(input) }],
  ]),
})

function resourceOf(name: string | undefined, path: Path, site: Site): Resource | undefined {
  if (name === undefined) return undefined
  const found = site.model.resources.get(name)
  if (found === undefined)
    site.problem(path, `there is no resource '${name}'`, didYouMean(name, site.model.resources.keys()))
  return found
}

const conditionOf = (
  source: string | undefined,
  path: Path,
  site: Site,
  speech: Speech,
): Expression | undefined =>
  source === undefined ? undefined : site.expression(source, path, { ...speech, kind: 'boolean' })

/** What is known once an answer is there. */
const answered = ({ body }: Message, { status, headers, response }: Attempted): Row => ({
  status,
  headers: { ...headers },
  response,
  mapped: body?.value ?? null,
})

/** What an attempt that brought an answer came to, by the definition's own word. */
function judged(
  success: Expression,
  attempted: Attempted,
  message: Message,
  context: EvaluationContext,
): Attempted {
  const { status, failure } = attempted
  if (failure?.kind === 'answer') return attempted
  const variables = { ...context.variables, ...answered(message, attempted) }
  if (success.holds({ ...context, variables })) return { ...attempted, failure: undefined }
  if (failure !== undefined) return attempted
  const why = `the other side answered with ${status}, and by 'success' that is none`
  return { ...attempted, failure: { kind: 'condition', message: why, mayHaveArrived: true } }
}

/** What would be sent; what authorizes it is not shown. */
function previewOf({ method, url, headers, body }: Message, auth: readonly Auth[]): ShownMessage {
  const shownUrl = new URL(url)
  for (const name of auth.flatMap((one) => one.query)) shownUrl.searchParams.set(name, REDACTED)
  const hidden = [...auth.flatMap((one) => one.headers), ...NEVER_SHOWN.filter((name) => name in headers)]
  return {
    method,
    url: shownUrl.href,
    headers: { ...headers, ...Object.fromEntries(hidden.map((name) => [name.toLowerCase(), REDACTED])) },
    body: body?.value ?? null,
  }
}

const NEVER_SHOWN = ['authorization', 'proxy-authorization', 'cookie']
