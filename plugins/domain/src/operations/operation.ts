import { type Action, type Call, type Inbound, isoTime, Reply, type Route } from '@svc/kernel'
import type { Neighbours } from '@svc/expression/contract'
import type { ColumnKind, Reader, Row } from '@svc/store/contract'
import { Access } from '../access/access.ts'
import type { Data } from '../contract/data.ts'
import type { Model } from '../model/model.ts'
import type { OperationName, Resource } from '../model/resource.ts'
import type { Runtime } from '../runtime.ts'
import type { ChangeKind } from '../contract/change.ts'
import { type Change, type ChangeStart, createChange } from '../write/change.ts'
import { assertDepth } from '../write/nested.ts'
import { neighboursIfAny } from '../reach/neighbours.ts'
import { etag } from '../present/etag.ts'
import { presentRecord } from '../present/record.ts'
import type { Reading } from '../write/refuse.ts'
import type { Writer } from '../write/writer.ts'

/** What an action on records takes: the path's id, the body, and the query parameters by name. */
export interface RecordInput {
  readonly id?: string
  readonly data?: unknown
  readonly query?: Readonly<Record<string, string>>
  /** Every parameter of the path. */
  readonly path?: Readonly<Record<string, string>>
}

/** A resource of a model and what its operations work with. */
export interface Surroundings {
  readonly model: Model
  readonly resource: Resource
  readonly runtime: Runtime
  readonly writer: Writer
  /** The records of the whole domain, for blocks. */
  readonly data: Data
}

/** Makes the action of one operation on one resource. */
export type Operation = (around: Surroundings) => Action

/** Brings a transport's message into the form of a RecordInput. */
export const bindRecord = ({ params, query }: Inbound, body: unknown): RecordInput => {
  const { id } = params
  return id === undefined ? { data: body, query, path: params } : { id, data: body, query, path: params }
}

/**
 * The routes of an operation: its method and path below every path of the resource, and below its direct ones where
 * a resource that answers under its parent offers this operation there too.
 */
export const routesOf = (
  { api }: Resource,
  method: string,
  below = '',
  direct: readonly OperationName[] = [],
): readonly Route[] =>
  [...api.paths, ...(direct.some((name) => api.directAccess.has(name)) ? api.directPaths : [])].map(
    (path) => `${method} ${path}${below}` as Route,
  )

/** Facts about a record action that documents and other plugins read. */
export interface RecordNotes {
  readonly domain: string
  readonly resource: string
  readonly operation: OperationName | 'transition' | 'related' | 'link' | 'unlink' | (string & {})
  /** The transition that the action takes, where it is about one. */
  readonly transition?: string
  /** The relationship that the action follows. */
  readonly relationship?: string
  /** The name of the key field. */
  readonly key: string
  /** How keys look in JSON. */
  readonly keyKind: ColumnKind
}

export function notesOf(
  { model, resource }: Surroundings,
  operation: RecordNotes['operation'],
  more: Pick<RecordNotes, 'transition' | 'relationship'> = {},
): { record: RecordNotes; domain: string } {
  return {
    domain: model.name,
    record: {
      domain: model.name,
      resource: resource.name,
      operation,
      key: resource.key.name,
      keyKind: resource.key.compiled.type.column,
      ...more,
    },
  }
}

export const accessOf = ({ resource, runtime }: Surroundings, call: Call): Access =>
  Access.of(resource, call.caller, runtime.env.now)

/** How a call's faults are read. */
export const readingOf = ({ resource }: Pick<Surroundings, 'resource'>, call: Call): Reading => ({
  resource,
  acceptLanguage: call.request?.meta('accept-language'),
})

/** Starts a change on behalf of a call. */
export function changeOf(
  around: Surroundings,
  call: Call,
  kind: ChangeKind,
  start: Pick<Change, 'body' | 'key'> &
    Partial<Pick<Change, 'wanted' | 'ifMatch' | 'parent' | 'operation' | 'link'>> &
    Pick<ChangeStart, 'row'>,
): Change {
  const { model, resource, runtime } = around
  const access = accessOf(around, call)
  assertDepth(call.depth, resource)
  const { key, body, wanted, parent, operation, link, row } = start
  return createChange({
    kind,
    domain: model.name,
    resource,
    access,
    caller: call.caller,
    runtime,
    requestId: call.requestId,
    depth: call.depth,
    at: isoTime(runtime.env.now()),
    key,
    body,
    wanted,
    ifMatch: 'ifMatch' in start ? start.ifMatch : call.request?.meta('if-match'),
    parent,
    operation,
    link,
    row,
    acceptLanguage: call.request?.meta('accept-language'),
    signal: () => call.signal,
    // The answer is kept in the write's transaction, after it, and is worked out from what that reads.
    isLast: call.request?.meta('idempotency-key') === undefined && access.reachOf(access.shown).size === 0,
    tell: call.warn,
    prefer: call.request?.meta('prefer'),
  })
}

/** Answers the record that a change leaves behind, as its caller may see it. */
export function replyWith(change: Change, status: 200 | 201, reader: Reader): Reply | Promise<Reply> {
  const { access } = change
  const record = change.standing ?? change.record
  const reading = { reader, access, rights: 'caller' } as const
  const neighbours = neighboursIfAny(record!, access.reachOf(access.shown), reading)
  return neighbours === undefined
    ? replyOf(record!, access, status, undefined)
    : neighbours.then((found) => replyOf(record!, access, status, found))
}

function replyOf(record: Row, access: Access, status: 200 | 201, neighbours: Neighbours | undefined): Reply {
  const data = presentRecord(record, access.shown, access, neighbours)
  return new Reply({ status, headers: { ETag: etag(record, access.shown, access, data) }, data })
}
