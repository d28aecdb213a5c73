import { shared } from '@svc/kernel'
import type { Path, Position } from './problem.ts'
import type { Source } from './source.ts'

/** A value of a document. Maps have no prototype, so that a key never meets an inherited name. */
export type Node = null | boolean | number | string | ListNode | MapNode
export interface ListNode extends ReadonlyArray<Node> {}
export interface MapNode {
  readonly [key: string]: Node
}

export const isList = (node: Node | undefined): node is ListNode => Array.isArray(node)
export const isMap = (node: Node | undefined): node is MapNode =>
  typeof node === 'object' && node !== null && !Array.isArray(node)

/** Where one entry of a map or list is written, as offsets into its source. An item of a list is its own key. */
export interface Place {
  readonly source: Source
  readonly key: number
  readonly value: number
}

export type Entry = readonly [key: string, value: Node, place: Place | undefined]

/** A node of a value of JSON; what is no JSON is null. */
export function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return value.map(nodeOf)
  if (typeof value === 'object' && value !== null)
    return mapOf(Object.entries(value).map(([key, inner]) => [key, nodeOf(inner), undefined]))
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

type Places = Map<string | number, Place>

const NOWHERE: ReadonlyMap<string | number, Place> = new Map()

/** The places of maps and lists; those that a document shares or copies keep the place where they were written. */
const written = shared('domain.places', () => new WeakMap<object, Places>())

/** Where an entry of a map or list is written; undefined for one that nobody wrote. */
export const placeOf = (container: MapNode | ListNode, key: string | number): Place | undefined =>
  placesOf(container).get(key)

/** Stands where a directive or a variable could not be resolved, so that nothing more is said about that place. */
export const UNRESOLVED: MapNode = Object.freeze(Object.create(null))

/** The entries of a map, with their places. */
export function entriesOf(map: MapNode): readonly Entry[] {
  const places = placesOf(map)
  return Object.entries(map).map(([key, value]) => [key, value, places.get(key)])
}

/** Builds a map; of equal keys the last counts and stands where the first stood. */
export function mapOf(entries: Iterable<Entry>): MapNode {
  const map: Record<string, Node> = Object.create(null)
  const places: Places = new Map()
  for (const [key, value, place] of entries) {
    map[key] = value
    if (place) places.set(key, place)
  }
  written.set(map, places)
  return map
}

/** The map with each value as `change` makes it; the map itself where none changes. */
export function mapValues(map: MapNode, change: (value: Node, key: string) => Node): MapNode {
  const changed = entriesOf(map).map(([key, value, place]): Entry => [key, change(value, key), place])
  return changed.every(([key, value]) => value === map[key]) ? map : mapOf(changed)
}

/** The list with each item as `change` makes it; the list itself where none changes. */
export function mapItems(list: ListNode, change: (item: Node, index: number) => Node): ListNode {
  const changed = list.map(change)
  return changed.every((item, index) => item === list[index]) ? list : listLike(list, changed)
}

/** Builds a list from `items`, which stand where those of `original` stand. */
export function listLike(original: ListNode, items: readonly Node[]): ListNode {
  const list = [...items]
  const places = written.get(original)
  if (places) written.set(list, places)
  return list
}

/** Says where the entries of a map or list are written. */
export const keepPlaces = (container: object, places: Places): void => void written.set(container, places)

/** What stands at `path`; undefined where nothing does. */
export function valueAt(root: Node, path: Path): Node | undefined {
  let at: Node | undefined = root
  for (const step of path) at = childOf(at, step)
  return at
}

/**
 * Where the value at `path` is written, or the nearest thing around it that is there: a map or list stands at
 * its key, anything else at its value.
 */
export function positionOf(root: Node, path: Path): Position | undefined {
  let at: Node | undefined = root
  let place: Place | undefined
  for (const step of path) {
    const next = typeof at === 'object' && at !== null ? placeOf(at, step) : undefined
    if (!next) break
    place = next
    at = childOf(at, step)
  }
  return place?.source.positionAt(isMap(at) || isList(at) ? place.key : place.value)
}

/** Where the last key of `path` is written. */
export function keyPositionOf(root: Node, path: Path): Position | undefined {
  const around = valueAt(root, path.slice(0, -1))
  const place = isMap(around) || isList(around) ? placeOf(around, path.at(-1) ?? '') : undefined
  return place?.source.positionAt(place.key) ?? positionOf(root, path)
}

function placesOf(container: object): ReadonlyMap<string | number, Place> {
  return written.get(container) ?? NOWHERE
}

function childOf(node: Node | undefined, step: string | number): Node | undefined {
  if (isList(node)) return typeof step === 'number' ? node[step] : undefined
  return isMap(node) && Object.hasOwn(node, step) ? node[step] : undefined
}
