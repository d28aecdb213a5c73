import type { Model, Path, Resource, Site, Speech } from '@svc/domain/contract'
import type { Known, ObjectShape } from '@svc/expression/contract'
import type { WrittenSource } from '../definition.ts'
import { includedShape, includeOf, onlyKeys, recordKnown, resourceNamed } from './named.ts'
import type { Source } from './source.ts'
import { compileSource } from './sources.ts'

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
