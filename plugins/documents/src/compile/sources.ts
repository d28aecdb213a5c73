import {
  type Path,
  recordShape,
  type Resource,
  type Site,
  type Speech,
  writtenOrder,
} from '@svc/domain/contract'
import type { Known, ObjectShape } from '@svc/expression/contract'
import { HISTORY } from '@svc/history/contract'
import type { Value } from '@svc/store/contract'
import type { WrittenSource } from '../definition.ts'
import { includeOf, onlyKeys, recordKnown, resourceNamed } from './named.ts'
import type { Source } from './source.ts'

const DEFAULT_HISTORY = 100

/** What a source may speak of where it stands. */
export interface Around {
  readonly site: Site
  readonly path: Path
  readonly resource: Resource | undefined
  readonly names: ReadonlyMap<string, Known>
  readonly parameters: ReadonlyMap<string, Known>
  readonly params: ObjectShape
  speech(): Speech
}

type Made = { readonly source: Source; readonly known: Known } | undefined

/** Compiles one source that is not the record; undefined where it was reported as wrong. */
export function compileSource(name: string, written: Exclude<WrittenSource, 'record'>, around: Around): Made {
  const { site, path } = around
  if (written.source !== undefined) return compileRows(name, written, written.source, around)
  if (written.static !== undefined) {
    onlyKeys(written, ['static'], site, path)
    return { source: { name, kind: 'static', value: written.static as Value }, known: 'unknown' }
  }
  if (written.computed !== undefined) {
    onlyKeys(written, ['computed'], site, path)
    const expression = site.expression(written.computed, [...path, 'computed'], around.speech())
    return (
      expression && {
        source: { name, kind: 'computed', expression, written: written.computed },
        known: expression.shape ?? expression.kind,
      }
    )
  }
  if (written.history !== undefined) return compileHistory(name, written, written.history, around)
  site.problem(path, 'names nothing', 'Write record, source, static, computed or history')
  return undefined
}

function compileHistory(
  name: string,
  written: Exclude<WrittenSource, 'record'>,
  history: true | { readonly limit?: number | undefined; readonly events?: readonly string[] | undefined },
  { site, path, resource }: Around,
): Made {
  onlyKeys(written, ['history'], site, path)
  const made = resource && site.made(HISTORY, resource)
  if (made === undefined) {
    const whose = resource === undefined ? 'there is no record' : `'${resource.name}' has no history`
    site.problem([...path, 'history'], whose, 'Name a record of a resource with `history`')
    return undefined
  }
  const { limit = DEFAULT_HISTORY, events } = history === true ? {} : history
  const source = { name, kind: 'history', limit, events: events && new Set(events) } as const
  return { source, known: { kind: 'list', items: 'unknown' } }
}

function compileRows(
  name: string,
  written: Exclude<WrittenSource, 'record'>,
  sourceName: string,
  { site, path, resource: about, names, parameters, params }: Around,
): Made {
  onlyKeys(written, ['source', 'filter', 'sort', 'single', 'limit', 'include'], site, path)
  const resource = resourceNamed(sourceName, site, [...path, 'source'])
  if (resource === undefined) return undefined
  const variables = new Map<string, Known>([['params', params]])
  if (about !== undefined) variables.set(ABOUT, recordShape(about))
  const filter =
    written.filter === undefined
      ? undefined
      : site.rows(aboutRecord(written.filter), [...path, 'filter'], {
          resource,
          moment: 'read',
          parameters: new Map([...parameters, ...names]),
          variables,
        })
  if (written.filter !== undefined && filter === undefined) return undefined
  const isSingle = written.single === true
  const include = includeOf(written.include, resource, site, [...path, 'include'])
  const known = recordKnown(resource, include, site.model)
  const source = {
    name,
    kind: 'rows',
    resource,
    filter,
    order: writtenOrder(written.sort, resource, site, [...path, 'sort']),
    isSingle,
    limit: isSingle ? 1 : written.limit,
    include,
  } as const
  return { source, known: isSingle ? known : { kind: 'list', items: known } }
}

/**
 * In a filter `$record` is the record that the document is about, and not the one that is picked. The name that stands for it
 * is as long, so that faults are told where they are.
 */
export const ABOUT = 'master'
const aboutRecord = (filter: string): string =>
  filter.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\$record\b/g, (found) =>
    found === '$record' ? `$${ABOUT}` : found,
  )
