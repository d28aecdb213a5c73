// The one file that knows the library: what is taken from it, with types that say what it does.
import 'jsts/org/locationtech/jts/monkey.js'
import IndexedPointInAreaLocator from 'jsts/org/locationtech/jts/algorithm/locate/IndexedPointInAreaLocator.js'
import Intersection from 'jsts/org/locationtech/jts/algorithm/Intersection.js'
import CGAlgorithmsDD from 'jsts/org/locationtech/jts/algorithm/CGAlgorithmsDD.js'
import Coordinate from 'jsts/org/locationtech/jts/geom/Coordinate.js'
import GeometryFactory from 'jsts/org/locationtech/jts/geom/GeometryFactory.js'
import Location from 'jsts/org/locationtech/jts/geom/Location.js'
import FastSegmentSetIntersectionFinder from 'jsts/org/locationtech/jts/noding/FastSegmentSetIntersectionFinder.js'
import SegmentStringUtil from 'jsts/org/locationtech/jts/noding/SegmentStringUtil.js'
import OverlayOp from 'jsts/org/locationtech/jts/operation/overlay/OverlayOp.js'
import SnapIfNeededOverlayOp from 'jsts/org/locationtech/jts/operation/overlay/snap/SnapIfNeededOverlayOp.js'
import Polygonizer from 'jsts/org/locationtech/jts/operation/polygonize/Polygonizer.js'
import RelateOp from 'jsts/org/locationtech/jts/operation/relate/RelateOp.js'
import UnaryUnionOp from 'jsts/org/locationtech/jts/operation/union/UnaryUnionOp.js'
import IsValidOp from 'jsts/org/locationtech/jts/operation/valid/IsValidOp.js'
import type { Coordinates, Position } from '../geometries.ts'

/** A point of JTS. */
export interface Spot {
  readonly x: number
  readonly y: number
}

/** What is asked of a geometry of JTS. */
export interface Shape {
  isEmpty(): boolean
  getNumGeometries(): number
  getGeometryN(at: number): Shape
  getGeometryType(): string
  getCoordinates(): readonly Spot[]
  getBoundary(): Shape
  equalsTopo(other: Shape): boolean
}

/** A polygon of JTS. */
export interface Area extends Shape {
  getExteriorRing(): Shape
  getNumInteriorRing(): number
  getInteriorRingN(at: number): Shape
  getEnvelopeInternal(): { getArea(): number }
}

const factory = new GeometryFactory()

const spot = ([x = 0, y = 0]: Position) => new Coordinate(x, y)
const spots = (positions: Coordinates) => positions.map((position) => spot(position as Position))

export const point = (position: Position): Shape => factory.createPoint(spot(position))
export const line = (positions: Coordinates): Shape => factory.createLineString(spots(positions))
export const polygon = (rings: readonly Coordinates[]): Area => {
  const [shell = [], ...holes] = rings.map((ring) => factory.createLinearRing(spots(ring)))
  return factory.createPolygon(shell, holes)
}
/** The shell of a polygon without its holes. */
export const shellOf = (area: Area): Area =>
  factory.createPolygon(factory.createLinearRing([...area.getExteriorRing().getCoordinates()]), [])
/** A geometry of the kind that holds just these. */
export const together = (shapes: readonly Shape[]): Shape => factory.buildGeometry(listOf(shapes))

/** Lists of JTS know more than arrays do. */
const listOf = (shapes: readonly Shape[]) => {
  const all = [...shapes]
  return {
    iterator: () => all[Symbol.iterator] && iteratorOver(all),
    isEmpty: () => all.length === 0,
    size: () => all.length,
    toArray: () => all,
  }
}
const iteratorOver = (all: readonly Shape[]) => {
  let at = 0
  return { hasNext: () => at < all.length, next: () => all[at++] }
}

export const union = (shape: Shape): Shape => UnaryUnionOp.union(shape)
export const difference = (a: Shape, b: Shape): Shape =>
  SnapIfNeededOverlayOp.overlayOp(a, b, OverlayOp.DIFFERENCE)
export const symDifference = (a: Shape, b: Shape): Shape =>
  SnapIfNeededOverlayOp.overlayOp(a, b, OverlayOp.SYMDIFFERENCE)

/** Where two lines cross, each given by two of its positions, to the digits that PostGIS has of it. */
export const crossing = (a: Position, b: Position, c: Position, d: Position): Spot =>
  Intersection.intersection(spot(a), spot(b), spot(c), spot(d))

/** On which side of the line from a to b a position is: 1, -1, or 0 for one that is on it. */
export const sideOf = (a: Position, b: Position, one: Position): number =>
  CGAlgorithmsDD.orientationIndex(spot(a), spot(b), spot(one))

/** The faces of a net of lines. */
export function facesOf(net: Shape): readonly Area[] {
  const polygonizer = new Polygonizer()
  polygonizer.add(net)
  return [...polygonizer.getPolygons().toArray()]
}

export const isArea = (shape: Shape): boolean => /Polygon/.test(shape.getGeometryType())
export const isValid = (shape: Shape): boolean => IsValidOp.isValid(shape)
export const intersects = (a: Shape, b: Shape): boolean => RelateOp.relate(a, b).isIntersects()
/** Whether no point of one shape is outside of another, and whether the inner points of both have some in common. */
export const isCovered = (a: Shape, b: Shape): boolean => RelateOp.relate(a, b).matches('**F**F***')
export const sharesInside = (a: Shape, b: Shape): boolean => RelateOp.relate(a, b).matches('T********')
export const isWithin = (a: Shape, b: Shape): boolean => RelateOp.relate(a, b).isWithin()

/** Tells where points lie to an area whose edges are indexed. */
export function locatorIn(area: Shape): (spot: Spot) => 'inside' | 'edge' | 'outside' {
  const locator = new IndexedPointInAreaLocator(area)
  return (one) => {
    const location = locator.locate(one)
    return location === Location.INTERIOR ? 'inside' : location === Location.BOUNDARY ? 'edge' : 'outside'
  }
}

/** Tells whether the lines and edges of a shape share a point with those of one that is indexed. */
export function meetingEdgesOf(indexed: Shape): (shape: Shape) => boolean {
  const finder = new FastSegmentSetIntersectionFinder(SegmentStringUtil.extractSegmentStrings(indexed))
  return (shape) => finder.intersects(SegmentStringUtil.extractSegmentStrings(shape))
}
