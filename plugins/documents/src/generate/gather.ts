import {
  type Asker,
  type Data,
  evaluationOfFacts,
  leftAmong,
  presentRecord,
  type Resource,
  type RowCondition,
  type Showing,
  showingTo,
  waysLeftTo,
} from '@svc/domain/contract'
import type { EvaluationContext } from '@svc/expression/contract'
import { type ActionName, type CallAction, type Caller, errors } from '@svc/kernel'
import { renderFailed } from '@svc/render/contract'
import type { Condition, Row, Value } from '@svc/store/contract'
import type { Source } from '../compile/source.ts'
import { ABOUT } from '../compile/sources.ts'
import type { Template } from '../compile/template.ts'
import { DONE, leftAlong } from './left.ts'

/** What a document is made for. */
export interface Request {
  readonly template: Template
  /** The record as it is stored; undefined where the template is about none. */
  readonly record: Row | undefined
  readonly parameters: Readonly<Record<string, Value>>
  /** Who asks; whoever wrote what set it off is not asked. */
  readonly asker: Asker
  /** By whose rights data is read. */
  readonly as: Caller
  /** Calls actions by these rights. */
  readonly callAs: CallAction
  readonly data: Data
  now(): number
}

/** More rows are no document. */
const MOST_ROWS = 10_000
const PORTION = 200

/** Reads everything that a template is filled with, as whoever it runs as may see it. */
export async function gather(request: Request): Promise<EvaluationContext> {
  const { template, record, parameters, asker, as, data, now } = request
  const { resource, include, sources } = template.data
  const { name: domain, version, definition } = data.model
  const names: Record<string, Value> = {
    config: definition.config ?? {},
    domain: { name: domain, version },
    template: { name: template.name },
  }
  const variables = { params: parameters }
  const facts = { resource, record, user: asker.caller, names, parameters, variables, now }
  const isSystem = as.kind === 'system'
  const { context }: Pick<Showing, 'context'> = isSystem
    ? { context: await evaluationOfFacts(facts, template.expressions, data.reader, DONE) }
    : await showingTo(as, facts, template.expressions, data.reader, { masks: true, done: DONE })
  const seen =
    resource &&
    record &&
    (await (isSystem ? recordWhole(context, request) : recordSeen(resource, record, include, request)))
  if (seen !== undefined) for (const one of include) names[one] = seen[one] ?? null
  // What may not be read is absent, and null where it is asked for.
  const filled: EvaluationContext = { ...context, record: seen ?? null, names, parameters, variables }
  for (const source of sources)
    names[source.name] = await valueOf(source, {
      ...request,
      seen,
      context: { ...filled, names: { ...names } },
    })
  return { ...filled, names }
}

/** The record with all its fields but passwords, as it was handed over, and what comes along with it by now. */
async function recordWhole({ record }: EvaluationContext, request: Request): Promise<Row> {
  const { resource, include } = request.template.data
  if (resource === undefined) return {}
  const key = record?.[resource.key.name] ?? null
  const along = await alongWith(resource, [key], include, request)
  const fields = [...resource.fields.values()].filter(({ compiled }) => compiled.type.readable)
  const whole = Object.fromEntries(fields.map(({ name }) => [name, record?.[name] ?? null]))
  return { ...whole, ...pick(along.get(String(key)), include) }
}

/** The record as its reader may see it, hidden fields that may be asked for among it. */
async function recordSeen(
  resource: Resource,
  record: Row,
  include: readonly string[],
  { as, data, asker, callAs }: Request,
): Promise<Row> {
  const key = record[resource.key.name] ?? null
  const access = data.access(resource, as)
  const asked = presentRecord(record, [...resource.fields.values()].filter(isHidden), access)
  const shown = await data.get(resource, key, inPlaceOf(as, asker), 'get', DONE)
  if (include.length === 0) return { ...asked, ...shown }
  const id = String(key)
  const query = { include: include.join(',') }
  const along = (await callAs(`${resource.actionPrefix}get` as ActionName, {
    id,
    path: { id },
    query,
  })) as Row
  const [left = {}] = await leftAlong(resource, [along], include, data)
  return { ...asked, ...shown, ...pick(left, include) }
}

const isHidden = ({ hidden }: { readonly hidden: boolean }): boolean => hidden

/** What is warned of in a query of the template's own is nobody's business. */
const inPlaceOf = (caller: Caller, { warn: _, ...asker }: Asker): Asker => ({ ...asker, caller })

interface Reading extends Request {
  readonly seen: Row | undefined
  readonly context: EvaluationContext
}

async function valueOf(source: Source, reading: Reading): Promise<Value> {
  switch (source.kind) {
    case 'record':
      return reading.seen ?? null
    case 'static':
      return source.value
    case 'computed':
      return source.expression.evaluate(reading.context)
    case 'history':
      return historyOf(source, reading)
    case 'rows': {
      const rows = await rowsOf(source, reading)
      return source.isSingle ? (rows[0] ?? null) : rows
    }
  }
}

type RowsSource = Extract<Source, { kind: 'rows' }>

async function rowsOf(source: RowsSource, reading: Reading): Promise<readonly Row[]> {
  const { resource, filter, order, limit, include, name } = source
  const { as, data, asker } = reading
  const where: readonly Condition[] = filter === undefined ? [] : [boundFilter(filter, source, reading)]
  const fields = [...resource.fields.keys()]
  const by = inPlaceOf(as, asker)
  const rows: Row[] = []
  for await (const batch of data.stream(
    resource,
    { where, order, fields, isExport: true, isAutomated: true },
    by,
    PORTION,
  )) {
    const left = await leftAmong(resource, batch, DONE, data.reader)
    rows.push(...(include.length === 0 ? left : await withIncluded(resource, left, include, reading)))
    if (limit !== undefined && rows.length >= limit) return rows.slice(0, limit)
    if (rows.length > MOST_ROWS) throw renderFailed(`needs more than ${MOST_ROWS} rows of '${name}'`)
  }
  return rows
}

/** What a filter picks, by what whoever the template runs as may read. Throws FORBIDDEN where it asks for more than that. */
function boundFilter(
  filter: RowCondition,
  { resource, name }: RowsSource,
  { as, data, asker, seen, context, parameters, now }: Reading,
): Condition {
  const rowsOf = as.kind === 'system' ? waysLeftTo(...DONE) : data.opens(resource, [filter], as, DONE)
  if (rowsOf === undefined) {
    data.access(resource, as).assert('list')
    throw errors.FORBIDDEN({ message: `The filter of '${name}' asks for what you may not read` })
  }
  return filter.rows({
    user: asker.caller,
    now,
    rowsOf,
    parameters: { ...parameters, ...context.names },
    variables: { params: parameters, [ABOUT]: seen ?? null },
  })
}

async function withIncluded(
  resource: Resource,
  rows: readonly Row[],
  include: readonly string[],
  reading: Reading,
): Promise<readonly Row[]> {
  const keys = rows.map((row) => row[resource.key.name] ?? null)
  const found = await alongWith(resource, keys, include, reading)
  return rows.map((row) => ({ ...row, ...pick(found.get(String(row[resource.key.name])), include) }))
}

/** Records of these keys with what they include, by key. */
async function alongWith(
  resource: Resource,
  keys: readonly Value[],
  include: readonly string[],
  { as, data, asker }: Request,
): Promise<ReadonlyMap<string, Row>> {
  const { name, column } = resource.key
  const values = keys.filter((key) => key !== null)
  if (column === undefined || values.length === 0 || include.length === 0) return new Map()
  const where: readonly Condition[] = [{ op: 'in', column, values }]
  const query = { include: include.join(','), limit: String(PORTION) }
  const asked = { query, where, isExport: true, isAutomated: true }
  const { rows } = await data.read(resource, asked, inPlaceOf(as, asker))
  const left = await leftAlong(resource, rows, include, data)
  return new Map(left.map((row) => [String(row[name]), row]))
}

const pick = (row: Row | undefined, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row?.[name] ?? null]))

/** How many entries a page of a timeline has, and how many pages are looked at. */
const PAGE = 100
const MOST_PAGES = 20

async function historyOf(
  { limit, events }: Extract<Source, { kind: 'history' }>,
  { template, record, callAs }: Reading,
): Promise<Value> {
  const { resource } = template.data
  if (resource === undefined || record === undefined) return []
  const id = String(record[resource.key.name])
  const found: Value[] = []
  for (let page = 1; page <= MOST_PAGES && found.length < limit; page++) {
    const query = { limit: String(PAGE), page: String(page) }
    const answer = await callAs(`${resource.actionPrefix}history` as ActionName, { id, path: { id }, query })
    const items = (answer as { readonly items: readonly Row[] }).items
    found.push(...items.filter(({ event }) => events === undefined || events.has(String(event))))
    if (items.length < PAGE) break
  }
  return found.slice(0, limit)
}
