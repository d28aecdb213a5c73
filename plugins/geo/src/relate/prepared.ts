import { isArea, isWithin, locatorIn, meetingEdgesOf, type Shape, type Spot } from './jts.ts'

/** An area whose edges are indexed, to compare many shapes with it; neither holds shapes of several kinds. */
export class Prepared {
  readonly #area: Shape
  readonly #locate: (spot: Spot) => 'inside' | 'edge' | 'outside'
  readonly #meets: (shape: Shape) => boolean

  constructor(area: Shape) {
    this.#area = area
    this.#locate = locatorIn(area)
    this.#meets = meetingEdgesOf(area)
  }

  /** Whether they share a point. */
  intersects(shape: Shape): boolean {
    if (isOfPoints(shape)) return spotsOf(shape).some((spot) => this.#locate(spot) !== 'outside')
    if (firstSpots(shape).some((spot) => this.#locate(spot) !== 'outside')) return true
    return this.#meets(shape) || this.#isInside(shape)
  }

  /** Whether the shape lies inside of the area, as OGC has it. */
  contains(shape: Shape): boolean {
    const places = spotsOf(shape).map(this.#locate)
    if (places.includes('outside')) return false
    if (isOfPoints(shape)) return places.includes('inside')
    // Edges that touch may still lie on either side.
    if (this.#meets(shape)) return isWithin(shape, this.#area)
    return !this.#isInside(shape)
  }

  /** Whether some edge of the area lies inside of the shape, where none of both meet. */
  #isInside(shape: Shape): boolean {
    if (!isArea(shape)) return false
    const locate = locatorIn(shape)
    return firstSpots(this.#area).some((spot) => locate(spot) !== 'outside')
  }
}

const isOfPoints = (shape: Shape): boolean => /Point/.test(shape.getGeometryType())

const spotsOf = (shape: Shape): readonly Spot[] => shape.getCoordinates()

/** A point of each line and of each ring. */
function firstSpots(shape: Shape): readonly Spot[] {
  const lines = isArea(shape) ? shape.getBoundary() : shape
  return Array.from({ length: lines.getNumGeometries() }, (_, at) => lines.getGeometryN(at)).flatMap((line) =>
    line.getCoordinates().slice(0, 1),
  )
}
