import type { Model } from '../model/model.ts'
import { checkIcon } from '../model/icons.ts'
import type { Report } from '../model/report.ts'

/** An icon of a set that the definition declares is one that the set has. */
export function icons({ definition, icons: sets }: Model, report: Report): void {
  for (const [name, { values }] of Object.entries(definition.enums ?? {})) {
    if (Array.isArray(values)) continue
    for (const [value, facts] of Object.entries(values))
      checkIcon(facts?.icon, ['domain', 'enums', name, 'values', value, 'icon'], sets, report)
  }
  for (const [name, { icon }] of Object.entries(definition.blocks ?? {}))
    checkIcon(icon, ['domain', 'blocks', name, 'icon'], sets, report)
  for (const [name, { icon }] of Object.entries(definition.resources))
    checkIcon(icon, ['domain', 'resources', name, 'icon'], sets, report)
}
