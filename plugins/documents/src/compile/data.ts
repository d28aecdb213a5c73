import {
  type Expression,
  type Model,
  type Path,
  recordShape,
  type Resource,
  type RowCondition,
  type Site,
  type Speech,
} from '@svc/domain/contract'
import type { Known, ObjectShape } from '@svc/expression/contract'
import { HISTORY } from '@svc/history/contract'
import type { Order, Value } from '@svc/store/contract'
import type { WrittenSource } from '../definition.ts'

/** What a template is filled with, under one name. */
export type Source = { readonly name: string } & (
  | { readonly kind: 'record' }
  | {
      readonly kind: 'rows'
      readonly resource: Resource
      readonly filter: RowCondition | undefined
      readonly order: readonly Order[]
      readonly isSingle: boolean
      readonly limit: number | undefined
      readonly include: readonly string[]
    }
  | { readonly kind: 'static'; readonly value: Value }
  | { readonly kind: 'computed'; readonly expression: Expression }
  | { readonly kind: 'history'; readonly limit: number; readonly events: ReadonlySet<string> | undefined }
)

/** The data of a template, compiled. */
export interface TemplateData {
  /** The resource whose record the document is about. */
  readonly resource: Resource | undefined
  /** The relationships that come along with the record: they are names too. */
  readonly include: readonly string[]
  readonly sources: readonly Source[]
  /** What may be named where the template is filled. */
  readonly speech: Speech
}

type Written = Readonly<Record<string, WrittenSource>>

/** Names that are there in every template. */
const ALWAYS = ['config', 'domain', 'template', 'record', 'user', 'op', 'previous', 'loop', 'now', 'today']

const DEFAULT_HISTORY = 100

/** Compiles data: each name may use those before it. What is wrong is reported. */
export function compileData(
  written: Written,
  site: Site,
  path: Path,
  triggered: Resource | undefined,
  parameters: ReadonlyMap<string, Known>,
): TemplateData {
  const { resource, include } = recordOf(written, site, path, triggered)
  const params: ObjectShape = { kind: 'object', members: parameters }
  const variables = new Map<string, Known>([['params', params]])
  const names = alwaysNamed(site.model)
  if (resource !== undefined)
    for (const one of include) names.set(one, includedShape(resource, one, site.model))
  const speech = (): Speech => ({
    ...(resource && { resource }),
    moment: 'read',
    names: new Map(names),
    parameters,
    variables,
  })
  const sources: Source[] = []
  for (const [name, source] of Object.entries(written)) {
    const at = [...path, name]
    const isRecord = source === 'record' || source.record !== undefined
    if (ALWAYS.includes(name) && !(name === 'record' && isRecord))
      site.problem(at, `'${name}' is there already`, 'Choose another name')
    const made = isRecord
      ? resource && {
          source: { name, kind: 'record' } as const,
          known: recordKnown(resource, include, site.model),
        }
      : compileSource(name, source, { site, path: at, resource, names, parameters, params, speech })
    if (made === undefined) {
      // What was reported once is not reported again by whoever names it.
      names.set(name, 'unknown')
      continue
    }
    sources.push(made.source)
    if (name !== 'record') names.set(name, made.known)
  }
  return { resource, include, sources, speech: speech() }
}

function alwaysNamed(model: Model): Map<string, Known> {
  const text = (...members: readonly string[]): ObjectShape => ({
    kind: 'object',
    members: new Map(members.map((name) => [name, 'text' as const])),
  })
  const config = Object.keys(model.definition.config ?? {})
  return new Map<string, Known>([
    ['config', { kind: 'object', members: new Map(config.map((name) => [name, 'unknown' as const])) }],
    ['domain', text('name', 'version')],
    ['template', text('name')],
  ])
}

function recordOf(written: Written, site: Site, path: Path, triggered: Resource | undefined) {
  let resource = triggered
  let include: readonly string[] = []
  let seen: string | undefined
  for (const [name, source] of Object.entries(written)) {
    if (source !== 'record' && source.record === undefined) continue
    const at = [...path, name]
    if (seen !== undefined) site.problem(at, `there is one record at most, and '${seen}' is it`)
    seen = name
    if (source === 'record') {
      if (triggered === undefined)
        site.problem(at, 'does not say of which resource', `Write {record: <Resource>}`)
      continue
    }
    onlyKeys(source, ['record', 'include'], site, at)
    const named =
      source.record === undefined ? undefined : resourceNamed(source.record, site, [...at, 'record'])
    if (named !== undefined && triggered !== undefined && named !== triggered)
      site.problem([...at, 'record'], `the trigger is about '${triggered.name}'`)
    resource = named ?? resource
    include = named === undefined ? [] : includeOf(source.include, named, site, [...at, 'include'])
  }
  return { resource, include }
}

interface Around {
  readonly site: Site
  readonly path: Path
  readonly resource: Resource | undefined
  readonly names: ReadonlyMap<string, Known>
  readonly parameters: ReadonlyMap<string, Known>
  readonly params: ObjectShape
  speech(): Speech
}

type Made = { readonly source: Source; readonly known: Known } | undefined

function compileSource(name: string, written: Exclude<WrittenSource, 'record'>, around: Around): Made {
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
        source: { name, kind: 'computed', expression },
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
    order: orderOf(written.sort, resource, site, [...path, 'sort']),
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

const SORT = /^(\w+)(?:\s+(asc|desc))?$/i

function orderOf(
  written: string | readonly string[] | undefined,
  resource: Resource,
  site: Site,
  path: Path,
): readonly Order[] {
  const parts = typeof written === 'string' ? written.split(',') : (written ?? [])
  return parts.flatMap((part) => {
    const [, name, direction = 'asc'] = SORT.exec(part.trim()) ?? []
    const column = name === undefined ? undefined : resource.fields.get(name)?.column
    if (column === undefined) {
      site.problem(
        path,
        `'${resource.name}' has no stored field '${(name ?? part).slice(0, 60)}'`,
        'Write <field> asc|desc',
      )
      return []
    }
    return { column, descending: direction.toLowerCase() === 'desc' }
  })
}

function includeOf(
  written: string | readonly string[] | undefined,
  resource: Resource,
  site: Site,
  path: Path,
): readonly string[] {
  const names = typeof written === 'string' ? written.split(',').map((name) => name.trim()) : (written ?? [])
  return names.filter((name) => {
    const isKnown = resource.relationships.has(name)
    if (!isKnown) site.problem(path, `'${resource.name}' has no relationship '${name.slice(0, 60)}'`)
    return isKnown
  })
}

function includedShape(resource: Resource, name: string, model: Model): Known {
  const relationship = resource.relationships.get(name)
  if (relationship === undefined || relationship.target.kind === 'users') return 'unknown'
  const target = model.resources.get(relationship.target.name)
  if (target === undefined) return 'unknown'
  const shape = recordShape(target)
  return relationship.kind === 'belongsTo' ? shape : { kind: 'list', items: shape }
}

function recordKnown(resource: Resource, include: readonly string[], model: Model): ObjectShape {
  const shape = recordShape(resource)
  if (include.length === 0) return shape
  const members = new Map(shape.members)
  for (const name of include) members.set(name, includedShape(resource, name, model))
  return { ...shape, members }
}

function resourceNamed(name: string, site: Site, path: Path): Resource | undefined {
  const resource = site.model.resources.get(name)
  if (resource === undefined) site.problem(path, `there is no resource '${name.slice(0, 60)}'`)
  return resource
}

function onlyKeys(written: object, known: readonly string[], site: Site, path: Path): void {
  for (const [key, value] of Object.entries(written))
    if (value !== undefined && !known.includes(key))
      site.problem([...path, key], `means nothing beside '${known[0]}'`)
}
