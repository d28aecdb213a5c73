import type { Answered, OperationDescription } from '@svc/domain/contract'
import type { Entry } from '../catalog.ts'
import {
  answering,
  jsonBody,
  listOf,
  objectOf,
  type Parameter,
  type Parts,
  type Reference,
  refer,
  type Schema,
  type Success,
  tagged,
} from '../parts.ts'
import { failureOf } from '../shared/failures.ts'
import { SHARED_PARAMETERS } from '../shared/parameters.ts'
import { shared } from './listing.ts'

/** Documents an operation as its block says; `entry` is the resource of one that has one. */
export function describedOperation(described: OperationDescription, entry: Entry | undefined): Parts {
  const { description, query = {}, body, answers, failures = [] } = described
  return {
    ...(description !== undefined && { description }),
    parameters: [
      ...headersOf(described),
      ...(answers && 'items' in answers ? paging(answers) : []),
      ...Object.entries(query).map(([name, schema]) => queryParameter(name, schema)),
    ],
    ...(body && { body: jsonBody(body.schema, body.example) }),
    success: withStatus(answers ? successOf(answers, entry) : answering({}, 'Done'), described.status),
    failures: failures.flatMap((status) => failureOf(status) ?? []),
  }
}

const withStatus = (success: Success, status: OperationDescription['status']): Success =>
  status === 204
    ? { status, description: success.description }
    : { ...success, status: status ?? success.status }

const headersOf = ({ headers = [] }: OperationDescription): readonly Reference[] =>
  headers.flatMap((name) => shared(name === 'If-Match' ? 'IfMatchParam' : 'IdempotencyKeyParam'))

const LIMIT = SHARED_PARAMETERS.LimitParam

function paging({
  limit = 100,
}: Extract<Answered, { readonly items: unknown }>): readonly (Parameter | Reference)[] {
  const isShared = limit === LIMIT.schema.default
  const limitParam = isShared
    ? shared('LimitParam')
    : [{ ...LIMIT, schema: { ...LIMIT.schema, default: limit } }]
  return [...shared('PageParam'), ...limitParam, ...shared('OffsetParam')]
}

/** A query parameter, whose description leaves its schema for the place where readers look for it. */
function queryParameter(name: string, { description, ...schema }: Schema): Parameter {
  return { name, in: 'query', ...(typeof description === 'string' && { description }), schema }
}

function successOf(answers: Answered, entry: Entry | undefined): Success {
  const { description } = answers
  if ('items' in answers) return answering(pageOf(answers.items), description)
  if ('data' in answers) return answering(answers.data, description)
  if ('media' in answers)
    return { status: 200, description, content: { type: answers.media, schema: { type: 'string' } } }
  return entry
    ? tagged(answering(refer('schemas', entry.names.record), description))
    : answering({}, description)
}

const pageOf = (items: Schema): Schema =>
  objectOf(
    {
      items: listOf(items),
      count: { type: 'integer', minimum: 0 },
      totalCount: { type: 'integer', minimum: 0 },
      meta: refer('schemas', 'PaginationMeta'),
    },
    ['totalCount', 'meta'],
  )
