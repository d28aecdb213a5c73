import { madeOf, madeOfRecords, type Path, type Resource, type Site, type Speech } from '@svc/domain/contract'
import type { Kind, Known } from '@svc/expression/contract'
import type { CompiledNotification, Notifications } from '@svc/notifications/contract'
import type { TemplateDefinition } from '../definition.ts'
import type { TemplateData } from './data.ts'
import type { Source } from './source.ts'

/** What is raised with a document. */
export interface TemplateNotification {
  readonly compiled: CompiledNotification
  /** Whether mails carry the document. */
  readonly isEnclosed: boolean
  /** The names of data that it speaks of: no other is kept with it. */
  readonly names: readonly string[]
}

/** Compiles the key `notification`; what is wrong is reported, and undefined answered. */
export function compileTemplateNotification(
  { notification: written }: TemplateDefinition,
  {
    name,
    path,
    site,
    data,
  }: { readonly name: string; readonly path: Path; readonly site: Site; readonly data: TemplateData },
  notifications: Pick<Notifications, 'compile'>,
): TemplateNotification | undefined {
  if (written === undefined) return undefined
  const { attach = true, ...notification } = written
  const speech = speechOf(data, site)
  const compiled = notifications.compile(notification, { site, path, speech, name: `templates.${name}` })
  const said = JSON.stringify(notification)
  const names = [...(speech.names?.keys() ?? [])].filter((one) => new RegExp(`\\b${one}\\b`).test(said))
  return compiled && { compiled, isEnclosed: attach, names }
}

/** What its texts may name: what the body may, with what that was made of, and the document. */
function speechOf(data: TemplateData, site: Site): Speech {
  const { sources, speech, resource } = data
  const names = new Map<string, Known>(speech.names)
  // Of accounts nothing is told.
  for (const name of data.include) if (names.get(name) === 'unknown') names.delete(name)
  for (const source of sources) {
    const known = names.get(source.name)
    if (known !== undefined) names.set(source.name, toldOf(source, known, { ...speech, names }, data, site))
  }
  if (resource === undefined) names.delete('record')
  return {
    ...speech,
    names: names.set('document', {
      kind: 'object',
      members: new Map([
        ['id', 'text'],
        ['filename', 'text'],
      ]),
    }),
  }
}

/** Values of these kinds hold no more than they were made of. */
const PLAIN: ReadonlySet<Kind> = new Set(['text', 'number', 'boolean', 'date', 'datetime', 'null'])

/** What has to be known of a name so that its readers are told what they may be told: records, or what it was made of. */
function toldOf(source: Source, known: Known, speech: Speech, data: TemplateData, site: Site): Known {
  const { resource } = data
  if (source.kind === 'history')
    return { kind: 'list', items: madeOfRecords(resource === undefined ? [] : [resource]) }
  if (source.kind !== 'computed' || isOfRecords(known)) return known
  // What is more than one plain value may hold anything of what was read.
  if (typeof known !== 'string' || !PLAIN.has(known)) return madeOfRecords(resourcesIn(data, site))
  // It was compiled once: what was found wrong is told by then.
  const again = site.apart(source.written).expression(source.written, [], speech)
  const made = again === undefined ? madeOfRecords(resourcesIn(data, site)) : madeOf([again], resource)
  return made === 'unknown' ? known : made
}

const isOfRecords = (known: Known): boolean =>
  typeof known === 'object' &&
  (known.kind === 'list' ? isOfRecords(known.items) : known.kind === 'object' && known.source !== undefined)

/** Every resource whose records are among the data. */
function resourcesIn({ resource, include, sources }: TemplateData, { model }: Site): readonly Resource[] {
  const along = (one: Resource, names: readonly string[]) =>
    names.flatMap((name) => {
      const target = one.relationships.get(name)?.target
      return target?.kind === 'resource' ? (model.resources.get(target.name) ?? []) : []
    })
  return [
    ...(resource === undefined ? [] : [resource, ...along(resource, include)]),
    ...sources.flatMap((one) =>
      one.kind === 'rows' ? [one.resource, ...along(one.resource, one.include)] : [],
    ),
  ]
}
