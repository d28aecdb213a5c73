import type { Path } from '../definition/problem.ts'
import type { Model } from '../model/model.ts'
import type { Report } from '../model/report.ts'
import type { Resource } from '../model/resource.ts'

/**
 * Looks at a whole model for one kind of mistake, and reports every instance of it: as a judgement where the model is what it
 * would be without the mistake, and an older release may have accepted that.
 */
export type Check = (model: Model, report: Report) => void

/** The place of a resource in a definition. */
export const pathOf = ({ name }: Pick<Resource, 'name'>, ...further: Path): Path => [
  'domain',
  'resources',
  name,
  ...further,
]

/** A check that looks at one resource at a time. */
export const eachResource =
  (check: (resource: Resource, report: Report, model: Model) => void): Check =>
  (model, report) => {
    for (const resource of model.resources.values()) check(resource, report, model)
  }
