import { domainAction, type RecordInput } from '@svc/domain/contract'
import { mediaTypeOf } from '@svc/files/contract'
import { errors, ignoredBy, type Ignored, offsetOf, pageOf, type Call } from '@svc/kernel'
import type { Column, Condition, Order, Reader, Row } from '@svc/store/contract'
import { itemOf, shown } from '../item.ts'
import { ofDomain } from '../library/find.ts'
import { UNREFERRED } from '../library/referred.ts'
import type { Library } from '../setting.ts'
import { ITEM, items } from '../tables.ts'
import { accessOf, openedTo, type Tier } from '../tiers.ts'
import { Page } from './shapes.ts'

const LIMITS = { limit: 50, most: 500 }

/** Makes the action that lists the items of the library. */
export const listAction = (library: Library) =>
  domainAction({
    name: 'list',
    summary: 'List the items of the library',
    access: accessOf(library.tiers.browse),
    routes: ['GET /media'],
    output: Page,
    handle: (input, call, { reader }) => list('browse', input, call, { library, reader }),
  })

/** Makes the action that lists the items that nothing refers to. */
export const orphansAction = (library: Library) =>
  domainAction({
    name: 'orphans',
    summary: 'List the items that no record refers to',
    access: accessOf(library.tiers.manage),
    routes: ['GET /media/orphans'],
    output: Page,
    handle: ({ query, ...input }, call, { reader }) =>
      list('manage', { ...input, query: { ...query, orphans: 'true' } }, call, { library, reader }),
  })

interface Around {
  readonly library: Library
  readonly reader: Reader
}

/** Answers the part of the items that a query asks for. Throws INVALID_QUERY and FORBIDDEN. */
async function list(tier: Tier, { query = {} }: RecordInput, call: Call, { library, reader }: Around) {
  const ignored = ignoredBy(call.request?.meta('prefer'), call.warn)
  for (const name in query) if (!PARAMETERS.includes(name)) ignored('query', name)
  const isAboutOrphans = flagOf('orphans', query['orphans'])
  const tiers: readonly Tier[] = isAboutOrphans && tier === 'browse' ? [tier, 'manage'] : [tier]
  const where: Condition = {
    op: 'and',
    of: [
      ofDomain(library.domain),
      ...tiers.flatMap((one) => openTo(one, call, library)),
      ...searched(query['search']),
      ...typed(query['mime_type']),
      ...(isAboutOrphans ? [UNREFERRED] : []),
    ],
  }
  const asked = pageOf(query, LIMITS)
  const plan = { table: items, columns: items.columns, where, order: orderOf(query['sort'], ignored) }
  const rows = await reader.select({ ...plan, limit: asked.limit, offset: offsetOf(asked) })
  const total = await reader.count({ table: items, where })
  return pageAt(rows, { offset: offsetOf(asked), limit: asked.limit, total })
}

const PARAMETERS: readonly string[] = ['search', 'mime_type', 'sort', 'orphans', 'limit', 'offset', 'page']

function pageAt(
  rows: readonly Row[],
  { offset, limit, total }: Record<'offset' | 'limit' | 'total', number>,
) {
  return {
    items: rows.map((row) => shown(itemOf(row))),
    count: rows.length,
    totalCount: total,
    meta: {
      total,
      page: Math.floor(offset / limit) + 1,
      per_page: limit,
      total_pages: Math.ceil(total / limit),
      has_next: offset + limit < total,
      has_prev: offset > 0,
    },
  }
}

/** The items that a tier opens to a caller. Throws FORBIDDEN where that is none, whoever added them. */
function openTo(tier: Tier, { caller }: Call, { tiers }: Library): readonly Condition[] {
  const opened = openedTo(caller, tiers[tier])
  if (opened === 'all') return []
  if (caller.kind === 'anonymous') throw errors.UNAUTHORIZED()
  if (opened === 'none' || caller.id === null)
    throw errors.FORBIDDEN({ message: `You may not ${MAY[tier]} in this library` })
  return [{ op: 'eq', column: ITEM.createdBy, value: caller.id }]
}

const MAY: Readonly<Record<Tier, string>> = {
  browse: 'look around',
  upload: 'add items',
  manage: 'manage items',
}

const searched = (text: string | undefined): readonly Condition[] =>
  text === undefined || text === '' ? [] : [{ op: 'contains', table: items, columns: [ITEM.filename], text }]

/** A type, or all of a kind such as `image/*`; what is neither finds nothing. */
function typed(written: string | undefined): readonly Condition[] {
  const asked = written?.trim().toLowerCase() ?? ''
  if (asked === '' || asked === '*/*') return []
  const column = ITEM.mimeType
  const [, kind] = KIND.exec(asked) ?? []
  if (kind !== undefined) return [{ op: 'like', column, pattern: `${kind}/%` }]
  return [{ op: 'eq', column, value: mediaTypeOf(asked) ?? asked }]
}

/** All types of a kind, without what has a meaning in a pattern. */
const KIND = /^([a-z0-9!#$&^.+-]+)\/\*$/

function flagOf(name: string, written: string | undefined): boolean {
  if (written === undefined || written === 'false') return false
  if (written === 'true') return true
  throw errors.INVALID_QUERY({ message: `'${name}' must be true or false, not '${written.slice(0, 50)}'` })
}

const SORTED: ReadonlyMap<string, Column> = new Map(
  [ITEM.createdAt, ITEM.filename, ITEM.size, ITEM.mimeType].map((column) => [column.name, column]),
)

/** Reads `sort=-created_at,filename`; the order always ends in the id, so that pages never overlap. */
function orderOf(sort: string | undefined, ignored: Ignored): readonly Order[] {
  const asked = new Map<Column, Order>()
  for (const part of sort ? sort.split(',') : []) {
    const descending = part.startsWith('-')
    const name = descending ? part.slice(1) : part
    const column = SORTED.get(name)
    if (column === undefined) ignored('sort', name)
    else if (!asked.has(column)) asked.set(column, { column, descending })
  }
  const order = asked.size > 0 ? [...asked.values()] : [{ column: ITEM.createdAt, descending: true }]
  return [...order, { column: ITEM.id, descending: order.at(-1)!.descending }]
}
