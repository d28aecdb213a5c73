import type { Query } from '@svc/domain/contract'
import { errors, type Ignored } from '@svc/kernel'
import type { Order } from '@svc/store/contract'
import type { ViewColumn } from './view.ts'

/** What a request says of a view. */
export interface ViewRequest {
  readonly format: 'json' | 'csv'
  readonly isFormatted: boolean
  /** Which part is asked for; empty: the first, or all of a file. */
  readonly part: Query
  readonly order: readonly Order[]
}

const KNOWN: ReadonlySet<string> = new Set(['format', 'sort', 'page', 'limit', 'formatted'])

/** Reads a request for a view that shows `columns`. Throws INVALID_QUERY. */
export function readRequest(query: Query, columns: readonly ViewColumn[], ignored: Ignored): ViewRequest {
  for (const name of Object.keys(query)) if (!KNOWN.has(name)) ignored('query', name)
  const { page, limit, sort, formatted, format } = query
  return {
    format: formatIn(format, ['json', 'csv']),
    isFormatted: isTrue('formatted', formatted),
    part: { ...(page !== undefined && { page }), ...(limit !== undefined && { limit }) },
    order: sort === undefined || sort === '' ? [] : sortKeys(sort, columns, ignored),
  }
}

/** Which of `formats` is asked for: the first unless said. Throws INVALID_QUERY. */
export function formatIn<F extends string>(asked: string | undefined, formats: readonly [F, ...F[]]): F {
  const found = asked === undefined ? formats[0] : formats.find((one) => one === asked)
  if (found !== undefined) return found
  throw errors.INVALID_QUERY({
    message: `'format' is ${formats.join(', ').replace(/, (\w+)$/, ' or $1')}, not '${(asked ?? '').slice(0, 50)}'`,
  })
}

function isTrue(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  throw errors.INVALID_QUERY({ message: `'${name}' is true or false, not '${value.slice(0, 50)}'` })
}

/** Columns over stored fields of the source, by the names of the columns; the engine adds the key. */
function sortKeys(sort: string, columns: readonly ViewColumn[], ignored: Ignored): readonly Order[] {
  const byName = new Map(columns.map((one) => [one.name, one.of]))
  return sort.split(',').flatMap((part) => {
    const descending = part.startsWith('-')
    const name = descending ? part.slice(1) : part
    const of = byName.get(name)
    if (of?.kind === 'field' && of.field.column && of.field.compiled.type.sortable)
      return { column: of.field.column, descending }
    ignored('sort', name)
    return []
  })
}
