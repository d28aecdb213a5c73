import type { Path } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import { pathOf } from './check.ts'

/** A former name belongs to one thing, and to nothing that is still there. */
export function renames(model: Model, report: Report): void {
  refuseTaken(model.resources, 'resource', (name) => ['domain', 'resources', name, 'renamedFrom'], report)
  for (const resource of model.resources.values()) {
    const at = (name: string) => pathOf(resource, 'object', name, 'renamedFrom')
    refuseTaken(resource.fields, 'field', at, report)
  }
}

function refuseTaken(
  things: ReadonlyMap<string, { readonly renamedFrom: string | undefined }>,
  what: string,
  at: (name: string) => Path,
  report: Report,
): void {
  const claimed = new Map<string, string>()
  for (const [name, { renamedFrom }] of things) {
    if (renamedFrom === undefined) continue
    const other = things.has(renamedFrom) ? renamedFrom : claimed.get(renamedFrom)
    if (other !== undefined)
      report.problem(
        at(name),
        other === renamedFrom
          ? `there is a ${what} '${renamedFrom}' still`
          : `'${other}' was called '${renamedFrom}' too`,
        `Name what the ${what} was called before, or leave it out`,
      )
    claimed.set(renamedFrom, name)
  }
}
