import { didYouMean } from '../definition/names.ts'
import { OPERATIONS } from '../definition/schema/resource.ts'
import { eachResource, pathOf } from './check.ts'

/** Settings of operations name operations; none of them has a setting. */
export const overrides = eachResource((resource, report) => {
  const names: readonly string[] = [...OPERATIONS, ...resource.api.customOperations.map(({ name }) => name)]
  for (const name of Object.keys(resource.definition.api?.operation_overrides ?? {})) {
    const at = pathOf(resource, 'api', 'operation_overrides', name)
    if (names.includes(name)) report.warning(at, `'${name}' has no settings: this has no effect`)
    else report.problem(at, `there is no operation '${name}'`, didYouMean(name, names))
  }
})
