import { LIMITS } from '@svc/expression/contract'
import { type Action, type Call, type Inbound, JsonText, Reply, unlessRefused, Warnings } from '@svc/kernel'
import { isRestrictedApart, restrictedBy } from '../access/restrictions.ts'
import { asksForMore, rightsOf, type Sharing, sharingOf } from '../access/sharing.ts'
import type { Model } from '../model/model.ts'
import type { Resource } from '../model/resource.ts'
import { names } from '../present/etag.ts'
import { withReached } from '../model/reached.ts'
import type { Reader } from '@svc/store/contract'
import { PERMISSIONS } from '../query/include.ts'
import { MOST_HOPS } from '../query/reached.ts'
import type { Answers, KeptAnswer } from '../runtime.ts'
import { recording } from '../write/recording.ts'
import type { RecordInput, Surroundings } from './operation.ts'

/**
 * The action with its answers kept, where `answering`, whose records it answers, wants that. An answer is kept for
 * the very request, and for callers to whom it would look the same.
 */
export function cached(action: Action, around: Surroundings, answering = around.resource): Action {
  const { model, resource, runtime } = around
  const { caching, cacheTtlSeconds } = answering.features
  if (!caching || runtime.answers === undefined) return action
  const sharing = sharingWith(withRelated([resource, answering], model, 1))
  if (sharing === 'none') return action
  const sharingAlong = sharingWith(withRelated([resource, answering], model, MOST_HOPS))
  const keeping = { action, model, answers: runtime.answers, ttlMs: cacheTtlSeconds * 1000 }
  return {
    ...action,
    handle(input: RecordInput, call) {
      const shared = goesAlong(input) ? sharingAlong : sharing
      return shared === 'none'
        ? action.handle(input, call)
        : read({ ...keeping, sharing: shared }, input, call)
    },
  }
}

/** How answers may be shared that show records of these resources, or are chosen by them. */
function sharingWith(resources: readonly Resource[]): Sharing {
  const all = [...withReached(resources)]
  // What a block restricts by, and for how long, may be its own.
  return all.some(isRestrictedApart) ? 'none' : sharingOf(all)
}

/**
 * How answers worked out of these resources may be shared for a while, whatever is written meanwhile; `texts` are expressions
 * that they are worked out by. Not at all where something decides from moment to moment which records are left.
 */
export function sharingAmong(resources: readonly Resource[], texts: readonly string[], model: Model): Kept {
  const all = [...withReached(withRelated(resources, model, LIMITS.steps))]
  const restricted = (reader: Reader) => restrictedBy(all, reader)
  if (all.some(isRestrictedApart)) return { sharing: 'none', restricted }
  // Such an answer may be as old as it is let be: what the time alone changes is no reason to make it anew.
  return {
    sharing:
      sharingOf(all) === 'roles' && !texts.some(asksForMore) && !nameAccounts(texts, all) ? 'roles' : 'user',
    restricted,
  }
}

/** Whether expressions may lead to accounts, of which everybody sees another part. */
function nameAccounts(texts: readonly string[], resources: readonly Resource[]): boolean {
  const words = new Set(texts.flatMap((text) => text.match(/[\p{L}\p{N}_]+/gu) ?? []))
  return resources.some(({ relationships }) =>
    [...relationships.values()].some(({ name, target }) => target.kind === 'users' && words.has(name)),
  )
}

/** How answers may be kept for a while. */
export interface Kept {
  readonly sharing: Sharing
  /** Names what restricts their records now: one that was made under another name is not given any more. */
  restricted(reader: Reader): Promise<string>
}

/** Whether a query asks about fields of related records, which are one relationship further away than includes. */
const goesAlong = ({ query = {} }: RecordInput): boolean =>
  Object.entries(query).some(([name, value]) => (ALONG.has(name) ? value : name).includes('.'))
const ALONG: ReadonlySet<string> = new Set(['sort', 'fields', 'field'])

interface Keeping {
  readonly action: Action
  readonly model: Model
  readonly sharing: Sharing
  readonly answers: Answers
  readonly ttlMs: number
}

async function read({ action, model, sharing, answers, ttlMs }: Keeping, input: RecordInput, call: Call) {
  const { id, path, query } = input
  // What somebody may do with a record is their own, and asks more than reading does.
  if (query?.['include']?.split(',').includes(PERMISSIONS)) return action.handle(input, call)
  const prefer = call.request?.meta('prefer')
  const key = JSON.stringify([
    model.checksum,
    action.name,
    rightsOf(call.caller, sharing),
    id,
    path,
    query,
    prefer,
  ])
  const {
    text,
    headers,
    warnings,
    more = 0,
  } = await answers.read(key, ttlMs, () => make(action, input, call))
  Warnings.of(warnings, more).repeat(call.warn)
  const tag = headers?.['ETag']
  const known = call.request?.meta('if-none-match')
  if (tag !== undefined && known !== undefined && names(known, tag))
    return new Reply({ status: 304, headers: { ETag: tag } })
  return new Reply({ data: new JsonText(text), ...(headers && { headers }) })
}

/** The whole answer, for whoever asks: whether the client has it already is no part of it. */
async function make(action: Action, input: RecordInput, call: Call): Promise<KeptAnswer> {
  const warnings = new Warnings()
  const result: unknown = await action.handle(input, recording(quiet(call), warnings))
  const { data, headers } = result instanceof Reply ? result : new Reply({ data: unlessRefused(result) })
  const text = data instanceof JsonText ? data.text : JSON.stringify(data ?? null)
  const { first, more } = warnings
  return { text, headers, warnings: first, ...(more > 0 && { more }) }
}

/** The same call without a word on what the client has, and whose warnings are told once, with the answer. */
const quiet = (call: Call): Call => ({
  caller: call.caller,
  body: call.body,
  call: call.call,
  request: call.request && unconditional(call.request),
  requestId: call.requestId,
  depth: call.depth,
  get signal() {
    return call.signal
  },
  warn: () => undefined,
  attribute: (username) => call.attribute(username),
})

const unconditional = (request: Inbound): Inbound => ({
  id: request.id,
  transport: request.transport,
  remote: request.remote,
  params: request.params,
  query: request.query,
  meta: (name) => (name === 'if-none-match' ? undefined : request.meta(name)),
  get signal() {
    return request.signal
  },
})

/** The resources, and those that so many relationships in a row lead to from them. */
function withRelated(resources: readonly Resource[], model: Model, hops: number): readonly Resource[] {
  let shown = resources
  for (let hop = 0; hop < hops; hop += 1)
    shown = [...new Set([...shown, ...shown.flatMap((one) => targetsOf(one, model))])]
  return shown
}

const targetsOf = ({ relationships }: Resource, model: Model): readonly Resource[] =>
  [...relationships.values()].flatMap(({ target }) =>
    target.kind === 'resource' ? (model.resources.get(target.name) ?? []) : [],
  )
