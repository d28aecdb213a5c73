import { compileTrigger, isTimeZone } from '@svc/automation/contract'
import type { Domains, Expression, LocalText, Path, Resource, Site } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import { compileBody, FORMAT_FACTS, type FormatName } from '@svc/render/contract'
import { createHash } from 'node:crypto'
import type { TemplateDefinition } from '../definition.ts'
import { compilePermission, type TemplatePermission } from '../permission.ts'
import { compileData, type TemplateData } from './data.ts'
import { compileLayout, compileMarkdown, linesIn, type LocalBody, type TemplateLayout } from './layout.ts'
import { compileParameters, type Parameter, parameterKinds } from './parameters.ts'

/** A template of a domain, compiled. */
export interface Template {
  readonly name: string
  readonly definition: TemplateDefinition
  /** SHA-256 of the definition, in hex. */
  readonly checksum: string
  readonly format: FormatName
  readonly generate: TemplatePermission
  readonly view: TemplatePermission
  readonly parameters: readonly Parameter[]
  readonly data: TemplateData
  readonly condition: Expression | undefined
  readonly body: LocalBody
  readonly layout: TemplateLayout
  readonly filename: LocalText
  readonly isSystem: boolean
  readonly timezone: string | undefined
  /** Everything that is evaluated when it is filled. */
  readonly expressions: readonly Expression[]
}

const DEFAULT_PERMISSION = ['admin']

/** Compiles a template; what is wrong is reported, and undefined answered. */
export function compileTemplate(
  name: string,
  written: TemplateDefinition,
  site: Site,
  domains: Domains,
): Template | undefined {
  const at = (...path: readonly (string | number)[]): Path => [name, ...path]
  const { permissions = {}, format = 'pdf', timezone } = written
  const parameters = compileParameters(written.parameters ?? [], site, at('parameters'), domains)
  const triggered = triggerOf(written, at('trigger'), site)
  const data = compileData(written.data ?? {}, site, at('data'), triggered, parameterKinds(parameters))
  const { resource, speech } = data
  const condition = conditionOf(written, at('condition'), site, resource)
  const body = compileMarkdown(written.body, at('body'), site, speech, compileBody)
  const layout = compileLayout(written.layout, at('layout'), site, speech)
  const filename = site.text(
    written.filename ?? `${name}-${resource === undefined ? '{now()}' : `{record.${resource.key.name}}`}`,
    at('filename'),
    speech,
  )
  if (timezone !== undefined && !isTimeZone(timezone))
    site.problem(at('timezone'), `'${timezone.slice(0, 60)}' is no zone of the IANA database`)
  const generated = permissions.generate ?? DEFAULT_PERMISSION
  const generate = compilePermission(generated, at('permissions', 'generate'), site, resource)
  const view =
    permissions.view === undefined
      ? generate
      : compilePermission(permissions.view, at('permissions', 'view'), site, resource)
  checkAttached(written, at('attachTo'), site, resource, format)
  tellMissing(written, site, at)
  if (body === undefined || filename === undefined) return undefined
  return {
    name,
    definition: written,
    checksum: createHash('sha256').update(JSON.stringify(written)).digest('hex'),
    format,
    generate,
    view,
    parameters,
    data,
    condition,
    body,
    layout,
    filename,
    isSystem: written.runAs === 'system',
    timezone,
    expressions: [
      ...[body, ...linesIn(layout)].flatMap(({ bodies }) =>
        [...bodies.values()].flatMap((one) => one.expressions),
      ),
      ...filename.expressions,
      ...(layout.logo?.source.expressions ?? []),
      ...data.sources.flatMap((source) => (source.kind === 'computed' ? source.expression : [])),
    ],
  }
}

/** The resource that a trigger is about. */
function triggerOf({ trigger = 'manual' }: TemplateDefinition, path: Path, site: Site): Resource | undefined {
  if (trigger === 'manual') return undefined
  if (trigger.event === undefined)
    site.problem([...path, 'event'], 'is missing', "Say what happens to a record, or write 'manual'")
  const history = (resource: Resource) => site.made(HISTORY, resource)?.events ?? []
  compileTrigger(trigger, path, site, { history })
  if (trigger.resource === undefined && trigger.event === undefined)
    site.problem([...path, 'resource'], 'is missing', 'Name the resource whose records it listens to')
  return trigger.resource === undefined ? undefined : site.model.resources.get(trigger.resource)
}

function conditionOf(
  { condition }: TemplateDefinition,
  path: Path,
  site: Site,
  resource: Resource | undefined,
): Expression | undefined {
  if (condition === undefined) return undefined
  if (resource !== undefined)
    return site.expression(condition, path, { resource, moment: 'read', kind: 'boolean' })
  site.problem(path, 'speaks of a record, and there is none', 'Name one under `data`: {record: <Resource>}')
  return undefined
}

function checkAttached(
  { attachTo }: TemplateDefinition,
  path: Path,
  site: Site,
  resource: Resource | undefined,
  format: FormatName,
): void {
  if (attachTo === undefined) return
  const field = resource?.fields.get(attachTo)
  const holder = field?.compiled.members
  const type = holder !== undefined && 'items' in holder ? holder.items.type?.name : field?.compiled.type.name
  if (type !== 'media') {
    const whose =
      resource === undefined
        ? 'the template is about no record'
        : `it is no media field of '${resource.name}'`
    site.problem(path, whose, 'Name a field of the type media')
    return
  }
  const accepted = field?.definition['accept']
  if (accepted === undefined) return
  const { mediaType, extension } = FORMAT_FACTS[format]
  const takes = [accepted].flat().map((one) => String(one).trim().toLowerCase())
  const kinds = [mediaType, `${mediaType.split('/')[0]}/*`, '*/*', extension, extension.slice(1)]
  if (!takes.some((one) => kinds.includes(one)))
    site.problem(path, `the field does not accept ${mediaType}`, `Add it to its 'accept'`)
}

/** What is read and checked, and not carried out by this version. */
function tellMissing(
  { trigger = 'manual', attachTo, notification }: TemplateDefinition,
  site: Site,
  at: (...path: readonly string[]) => Path,
): void {
  if (trigger !== 'manual')
    site.warning(
      at('trigger'),
      'events set off no template yet: this one is generated by hand alone',
      'POST /templates/<name>/generate generates it',
    )
  if (attachTo !== undefined)
    site.warning(at('attachTo'), 'documents are not attached yet: they are kept among the documents alone')
  if (notification !== undefined)
    site.warning(at('notification'), 'nobody is told of documents yet: this notification is not raised')
}
