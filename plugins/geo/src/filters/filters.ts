import type { Filter } from '@svc/domain/contract'
import type { Column, Condition, SpatialRelation } from '@svc/store/contract'
import { type AskedArea, readArea, readBoxes } from './area.ts'
import type { Indexes } from './indexes.ts'

/** The filters of a field in this coordinate system. */
export const spatialFilters = (srid: number, indexes: Indexes): Readonly<Record<string, Filter>> => {
  const lying = (by: SpatialRelation, column: Column, asked: AskedArea): Condition => {
    const found = indexes.over(column)
    return { op: 'spatial', by, column, srid, ...asked, ...(found && { found }) }
  }
  const related = (by: SpatialRelation, description: string): Filter => ({
    description,
    condition(text, { value }) {
      const asked = readArea(text, srid)
      return typeof asked === 'string' ? asked : lying(by, value, asked)
    },
  })
  return {
    bbox: {
      description: 'Shares a point with this box, its edge included: `minLon,minLat,maxLon,maxLat`',
      condition(text, { value }) {
        const boxes = readBoxes(text, srid)
        if (typeof boxes === 'string') return boxes
        return { op: 'or', of: boxes.map((box) => lying('intersects', value, box)) }
      },
    },
    intersects: related('intersects', 'Shares a point with this geometry, as JSON text of GeoJSON'),
    within: related(
      'within',
      'Lies inside of this geometry, as JSON text of GeoJSON; a point on its edge does not',
    ),
  }
}
