import { compileTrigger, type Trigger } from '@svc/automation/contract'
import type { Path, Resource, Site } from '@svc/domain/contract'
import type { TriggersDefinition } from '../definition/trigger.ts'

/** What sets an operation off by itself. */
export interface OperationTriggers {
  readonly triggers: readonly Trigger[]
  /** The resource that they listen to. */
  readonly resource: Resource | undefined
}

/** Compiles the key `trigger`: one, or a list of which all listen to one resource. */
export function compileTriggers(
  written: TriggersDefinition | undefined,
  path: Path,
  site: Site,
): OperationTriggers {
  if (written === undefined) return { triggers: [], resource: undefined }
  const isList = Array.isArray(written)
  const triggers = [written].flat().flatMap(({ schedule, ...one }, at) => {
    const place = isList ? [...path, at] : path
    if (schedule !== undefined) {
      site.problem([...place, 'schedule'], "'schedule' is not supported by this version", 'Take it away')
      return []
    }
    if (one.event === undefined)
      site.problem([...place, 'event'], 'is missing', 'Say what happens to a record')
    return compileTrigger(one, place, site) ?? []
  })
  const [first, ...others] = triggers
  for (const { resource } of others)
    if (resource !== first?.resource)
      site.problem(
        path,
        `listens to '${first?.resource.name}' and to '${resource.name}'`,
        'Write an operation for each resource',
      )
  return { triggers, resource: first?.resource }
}
