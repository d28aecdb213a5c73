import { eachResource, pathOf } from './check.ts'

/** Soft delete keeps the time of deletion in the record itself. */
export const softDelete = eachResource((resource, report) => {
  if (!resource.features.softDelete) return
  const field = resource.fields.get('deletedAt')
  if (field?.compiled.type.column === 'datetime') return
  const at =
    field === undefined ? pathOf(resource, 'features', 'softDelete') : pathOf(resource, 'object', 'deletedAt')
  report.problem(
    at,
    'soft delete needs a datetime field named deletedAt',
    'Add deletedAt: datetime to object',
  )
})
