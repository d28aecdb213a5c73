import type { CompiledValue, Expression, Path, Site, Speech } from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'
import type { RestDefinition, RestOperation } from '../../definition/rest.ts'
import { mappingFault } from '../../wire/fault.ts'
import { headerNameFault, isHeaderValue } from '../../wire/headers.ts'
import { compileBody } from '../../compile/body.ts'
import { checkRequired } from '../../compile/required.ts'
import type { Message } from '../../wire/message.ts'
import { compileEntry, compileMapping, type Mapping, type Shows, shown } from '../../mapping/mapping.ts'
import { isMap } from '../../wire/maps.ts'
import { type CompiledPath, compilePath } from './segments.ts'

/** How the request of an operation is made. */
export interface CompiledRequest {
  readonly expressions: readonly Expression[]
  /** Makes it. Throws VALIDATION_ERROR, rule `mapping`, where a value cannot be sent. */
  make(runId: string, context: EvaluationContext, shows?: Shows): Message
}

interface Place {
  readonly integration: string
  readonly path: Path
  readonly site: Site
  readonly speech: Speech
}

/** Compiles the request of an operation; undefined where something is wrong, which is reported. */
export function compileRequest(
  written: RestOperation,
  around: RestDefinition,
  { integration, path: at, site, speech }: Place,
): CompiledRequest | undefined {
  const { method = 'GET', format = 'json', required = [] } = written
  const isRead = method === 'GET' || method === 'HEAD'
  const path = compilePath(written.path ?? '/', [...at, 'path'], site, speech)
  const common = speechless(speech)
  const headers = [
    compileHeaders(around.headers, [integration, 'headers'], site, common),
    compileHeaders(written.headers, [...at, 'headers'], site, speech),
  ]
  const query = [
    compileMapping(around.query ?? {}, [integration, 'query'], site, common),
    compileMapping(written.query ?? {}, [...at, 'query'], site, speech),
  ]
  const body = compileBody(written.body, [...at, 'body'], site, speech)
  const idempotency = isRead ? {} : compileIdempotency(written, at, site, speech)
  if (isRead && written.body !== undefined)
    site.problem([...at, 'body'], `means nothing with ${method}`, 'Write another method')
  if (isRead && written.idempotency !== undefined)
    site.warning([...at, 'idempotency'], `means nothing with ${method}`)
  const parts = [...headers, ...query]
  if (path === undefined || body === undefined || idempotency === undefined || !areAll(parts))
    return undefined
  return {
    expressions: [path, ...parts, body, idempotency.key ?? NOTHING].flatMap(({ expressions }) => expressions),
    make(runId, context, shows) {
      const mapped = body.evaluate(context, shows)
      checkRequired(required, mapped)
      const further = { ...context, variables: { ...context.variables, mapped: mapped ?? null } }
      const text = mapped === undefined ? undefined : textOf(mapped, format)
      const sent: Record<string, string> = {}
      if (text !== undefined) sent['content-type'] = CONTENT_TYPES[format]
      if (!isRead && idempotency.header !== undefined) {
        const key = idempotency.key ? shown(idempotency.key, further, shows) : runId
        Object.assign(sent, headersOf({ [idempotency.header]: key ?? runId }))
      }
      for (const one of headers) Object.assign(sent, headersOf(one?.evaluate(further, shows) ?? {}))
      return {
        method,
        url: urlOf(
          around.baseUrl,
          path,
          query.map((one) => one?.evaluate(further, shows) ?? {}),
          further,
          shows,
        ),
        headers: sent,
        body: text === undefined ? null : { value: mapped ?? null, text },
      }
    },
  }
}

const NOTHING = { expressions: [] }

const CONTENT_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain; charset=utf-8',
} as const

/** What is common to all operations speaks of no record. */
const speechless = ({ variables, functions }: Speech): Speech => ({
  moment: 'read',
  variables: new Map([...(variables ?? [])].filter(([name]) => name !== 'input')),
  ...(functions && { functions }),
})

const areAll = <T>(parts: readonly (T | undefined)[]): parts is readonly T[] =>
  parts.every((one) => one !== undefined)

function compileHeaders(
  written: Readonly<Record<string, unknown>> = {},
  path: Path,
  site: Site,
  speech: Speech,
): Mapping | undefined {
  const faults = Object.keys(written).flatMap((name) => {
    const fault = headerNameFault(name)
    if (fault !== undefined) site.problem([...path, name], fault)
    return fault ?? []
  })
  const mapping = compileMapping(written, path, site, speech)
  return faults.length > 0 ? undefined : mapping
}

interface Idempotency {
  readonly header?: string
  readonly key?: CompiledValue
}

function compileIdempotency(
  { idempotency = {} }: RestOperation,
  at: Path,
  site: Site,
  speech: Speech,
): Idempotency | undefined {
  if (idempotency === false) return {}
  const { header = 'Idempotency-Key', key } = idempotency
  const fault = headerNameFault(header)
  if (fault !== undefined) {
    site.problem([...at, 'idempotency', 'header'], fault)
    return undefined
  }
  if (key === undefined || key === null) return { header }
  const compiled = compileEntry(key, [...at, 'idempotency', 'key'], site, speech)
  return compiled && { header, key: compiled }
}

function textOf(value: Value, format: keyof typeof CONTENT_TYPES): string {
  if (format === 'json') return JSON.stringify(value)
  if (format === 'text') return plain('body', value) ?? ''
  if (!isMap(value)) throw mappingFault('body', 'a form is a map of texts')
  return searchOf(value, 'body').toString()
}

function urlOf(
  base: string,
  path: CompiledPath,
  queries: readonly Row[],
  context: EvaluationContext,
  shows: Shows | undefined,
): string {
  const url = new URL(`${base.replace(/\/+$/, '')}${path.evaluate(context, shows)}`)
  url.search = searchOf(Object.assign({}, ...queries), 'query').toString()
  return url.href
}

function searchOf(values: Readonly<Record<string, unknown>>, field: string): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    const text = plain(`${field}.${name}`, value)
    if (text !== undefined) search.append(name, text)
  }
  return search
}

/** Header names in lower case, so that one of an operation takes the place of one of its integration. */
function headersOf(values: Row): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const text = plain(`headers.${name}`, value)
    if (text === undefined) continue
    if (!isHeaderValue(text))
      throw mappingFault(`headers.${name}`, `the header '${name}' cannot hold this value`)
    headers[name.toLowerCase()] = text
  }
  return headers
}

/** A value as one text; undefined for null. */
function plain(field: string, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw mappingFault(field, 'a list or a map is no value here')
}
