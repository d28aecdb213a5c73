import { compileTrigger, type Trigger } from '@svc/automation/contract'
import type { Path, Resource, Site } from '@svc/domain/contract'
import { HISTORY } from '@svc/history/contract'
import type { TemplateDefinition } from '../definition.ts'

/** What sets a template off besides people. */
export interface TemplateTrigger {
  /** The resource that it is about, whether or not it was right otherwise. */
  readonly resource: Resource | undefined
  readonly trigger: Trigger | undefined
}

/** Compiles the key `trigger`; what is wrong is reported. */
export function compileTemplateTrigger(
  { trigger: written = 'manual', parameters = [] }: TemplateDefinition,
  path: Path,
  site: Site,
): TemplateTrigger {
  if (written === 'manual') return { resource: undefined, trigger: undefined }
  if (written.event === undefined)
    site.problem([...path, 'event'], 'is missing', "Say what happens to a record, or write 'manual'")
  const history = (resource: Resource) => site.made(HISTORY, resource)?.events ?? []
  const trigger = compileTrigger(written, path, site, { history })
  if (written.resource === undefined && written.event === undefined)
    site.problem([...path, 'resource'], 'is missing', 'Name the resource whose records it listens to')
  for (const { name, optional, default: otherwise } of parameters)
    if (optional !== true && otherwise === undefined)
      site.warning(path, `an event says no parameters: without a default of '${name}' it generates nothing`)
  const resource = written.resource === undefined ? undefined : site.model.resources.get(written.resource)
  return { resource, trigger }
}
