import {
  didYouMean,
  evaluationOfFacts,
  type Expression,
  type Parameter,
  parameterKinds,
  type Path,
  type Resource,
  type Secret,
  type Site,
  type Speech,
  compileDoor,
  type Door,
} from '@svc/domain/contract'
import type { EvaluationContext, Known } from '@svc/expression/contract'
import type { Row } from '@svc/store/contract'
import { REDACTED, type Redaction } from '@svc/kernel'
import { revealed } from '../auth/secret.ts'
import type { OperationDefinition } from '../definition/operation.ts'
import type { Operation } from '../operation.ts'
import type { RetryPolicy } from '../policies.ts'
import type { Parts } from '../parts.ts'
import type { Attempted } from '../run/attempted.ts'
import { mappingFunctions } from '../mapping/functions.ts'
import { showsTo } from '../mapping/shows.ts'
import { readsGuarded } from './guarded.ts'
import { compileInput } from './input.ts'
import type { Shows } from '../mapping/mapping.ts'
import { compileRetry } from './resilience.ts'
import { compileTriggers } from './triggers.ts'
import { compileWrites } from '../write/compile.ts'
import { SAVED, savedInto } from '../write/saved.ts'
import { mappingFault } from '../wire/fault.ts'
import { shownHeaders } from '../wire/headers.ts'
import { compileInclude, siteIncluding } from './including.ts'
import { checkDistinct, checkName } from './names.ts'
import type { Sending } from './sending.ts'
import type { Message } from '../wire/message.ts'
import { compileTimeout } from './timeout.ts'

/** What an operation is compiled with. */
export interface OperationPlace {
  readonly site: Site
  readonly integration: string
  /** Without these nothing is sent. */
  readonly secrets: readonly Secret[]
  readonly execute: Door
  readonly timeoutMs: number
  readonly retry: RetryPolicy | undefined
  readonly parts: Parts
}

/** Where the sending of an operation is compiled: what it may name, and how long an attempt may take. */
export interface SendingPlace extends Pick<OperationPlace, 'site' | 'parts'> {
  readonly path: Path
  /** Whose record `$record` is. */
  readonly resource: Resource | undefined
  readonly speech: Speech
  readonly timeoutMs: number
}

/** Compiles an operation; undefined where something is wrong, which is reported. */
export function compileOperation<W extends OperationDefinition>(
  name: string,
  written: W,
  place: OperationPlace,
  sendingOf: (written: W, place: SendingPlace) => Sending | undefined,
): Operation | undefined {
  const { site: bare, integration, secrets, parts } = place
  const path: Path = [integration, 'operations', name]
  checkName(name, path, bare, 'an operation')
  const {
    triggers,
    schedules,
    resource: heard,
  } = compileTriggers(written.trigger, [...path, 'trigger'], bare)
  const named = resourceOf(written.resource, [...path, 'resource'], bare)
  if (named !== undefined && heard !== undefined && named !== heard)
    bare.problem(
      [...path, 'resource'],
      `its trigger listens to '${heard.name}'`,
      'Name the same resource, or take one of them away',
    )
  const resource = named ?? heard
  const included = compileInclude(written.include ?? [], [...path, 'include'], bare, resource)
  const site = siteIncluding(bare, included)
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
  const timeoutMs = compileTimeout(written.timeout, [...path, 'timeout'], site) ?? place.timeoutMs
  const sending = sendingOf(written, { site, parts, path, resource, speech: before, timeoutMs })
  const execute =
    written.permissions === undefined
      ? place.execute
      : compileDoor(
          written.permissions,
          [...path, 'permissions'],
          site,
          `operation '${name}' of '${place.integration}'`,
        )
  if (sending === undefined) return undefined
  const writes = compileWrites(written.write, {
    site,
    path: [...path, 'write'],
    speech: speechOf(resource, input, AFTER, moment, functions),
  })
  const { saving } = sending
  const isSaving = saving !== undefined && resource !== undefined
  const writing = isSaving ? savedInto(saving, resource, writes) : writes
  const sent = [...sending.expressions, ...[when, success].filter((one) => one !== undefined)]
  const expressions = [...sent, ...(writing?.expressions ?? [])]
  const retry =
    written.retry === undefined ? place.retry : compileRetry(written.retry, [...path, 'retry'], site)
  const isTold = (expression: Expression) => !readsGuarded(expression, resource, site.model)
  const shows: Shows = Object.assign(isTold, { mask: REDACTED })
  return {
    name,
    direction: 'outbound',
    description: written.description,
    resource,
    input,
    manual: written.manual ?? true,
    triggers,
    schedules,
    execute,
    expressions,
    isRead: sending.isRead && writing === undefined,
    isRepeatable: sending.isRepeatable,
    retry,
    timeoutMs,
    writing,
    answered: (message, attempted) => answered(message, attempted, parts.redaction),
    ...(sending.isConnected && { isConnected: sending.isConnected }),
    readsRecord: isSaving || expressions.some(({ fields, reach }) => fields.size > 0 || reach.size > 0),
    async preview({ runId, facts, finds, reader }, seer) {
      const context = await evaluationOfFacts(facts, sent, reader)
      const shows = await showsTo(seer, facts, sent, site.model, reader, context)
      const message = await finds.work(context, (found) => sending.make(runId, found, shows))
      return { request: parts.redaction.json(sending.tell(sending.show(bounded(message, parts)))) }
    },
    async build({ runId, facts, finds, reader }) {
      secrets.forEach(revealed)
      const context = await evaluationOfFacts(facts, sent, reader)
      const made = await finds.work(context, (found) => {
        if (when !== undefined && !when.holds(found)) return undefined
        const message = sending.make(runId, found)
        return { message, safe: sent.every(isTold) ? message : sending.make(runId, found, shows) }
      })
      if (made === undefined) return undefined
      return { message: bounded(made.message, parts), shown: sending.show(made.safe) }
    },
    async attempt(message, { runId, facts, finds, reader, signal }) {
      const attempted = await sending.attempt(message, { runId, signal })
      if (success === undefined || attempted.status === null) return attempted
      const context = await evaluationOfFacts(facts, [success], reader)
      return finds.work(context, (found) => judged(success, attempted, message, found, parts.redaction))
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
const answered = (
  { body }: Message,
  { status, headers, response, told, brought }: Attempted,
  redaction: Redaction,
): Row => ({
  status,
  // What others send back of our secrets is written nowhere.
  headers: redaction.json(shownHeaders(headers)),
  response: told ?? redaction.json(response),
  mapped: body?.value ?? null,
  ...(brought && { [SAVED]: brought.id }),
})

/** What an attempt that brought an answer came to, by the definition's own word. */
function judged(
  success: Expression,
  attempted: Attempted,
  message: Message,
  context: EvaluationContext,
  redaction: Redaction,
): Attempted {
  const { status, failure } = attempted
  if (failure?.kind === 'answer') return attempted
  const variables = { ...context.variables, ...answered(message, attempted, redaction) }
  if (success.holds({ ...context, variables })) return { ...attempted, failure: undefined }
  if (failure !== undefined) return attempted
  const why = `the other side answered with ${status}, and by 'success' that is none`
  return { ...attempted, failure: { kind: 'condition', message: why, mayHaveArrived: true } }
}

/** Compiles the operations of an integration by their names. */
export function compileOperations<W extends OperationDefinition>(
  written: Readonly<Record<string, W>> = {},
  place: OperationPlace,
  sendingOf: (written: W, place: SendingPlace) => Sending | undefined,
): ReadonlyMap<string, Operation> {
  checkDistinct(Object.keys(written), [place.integration, 'operations'], place.site)
  const operations = new Map<string, Operation>()
  for (const [name, one] of Object.entries(written)) {
    const compiled = compileOperation(name, one, place, sendingOf)
    if (compiled) operations.set(name, compiled)
  }
  return operations
}
