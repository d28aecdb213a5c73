import { eachResource, pathOf } from './check.ts'

/** Features that have nothing to work with. */
export const features = eachResource((resource, report) => {
  const written = resource.definition.features ?? {}
  if (written.cacheTtlSeconds !== undefined && written.caching !== true)
    report.warning(pathOf(resource, 'features', 'cacheTtlSeconds'), "means nothing without 'caching: true'")
  const searchable = [...resource.fields.values()].some(
    ({ compiled, column }) => compiled.type.searchable && column !== undefined,
  )
  if (written.search === true && !searchable)
    report.warning(
      pathOf(resource, 'features', 'search'),
      `'${resource.name}' has no field to search in`,
      'Search looks at fields of type string, text and markdown',
    )
})
