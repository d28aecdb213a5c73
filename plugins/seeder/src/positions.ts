import { EVENT_ID, type Event, getScalarValue } from 'js-yaml'

/** Where a value stands in a document: keys and indexes from the root. */
export type Path = readonly PropertyKey[]

/** The line of a path, counted from 1; of the nearest enclosing value where the path itself is not there. */
export type LineOf = (path: Path) => number

/** An open map or list: a map waits for a key when `key` is undefined. */
interface Frame {
  readonly path: Path
  readonly isMap: boolean
  key: string | undefined
  index: number
}

const idOf = (path: Path): string => JSON.stringify(path.map(String))

/** Finds the lines of a document's values from the parser's events. */
export function linesOf(text: string, events: readonly Event[]): LineOf {
  const offsets = new Map<string, number>()
  const frames: (Frame | undefined)[] = []

  /** The path of the value that begins here; undefined where it is a key. */
  const next = (key: string | undefined, offset: number): Path | undefined => {
    const frame = frames.at(-1)
    if (frame === undefined) return []
    if (!frame.isMap) return [...frame.path, frame.index++]
    if (frame.key === undefined) {
      frame.key = key ?? ''
      offsets.set(idOf([...frame.path, frame.key]), offset)
      return undefined
    }
    const path = [...frame.path, frame.key]
    frame.key = undefined
    return path
  }

  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) frames.push(undefined)
    else if (event.type === EVENT_ID.POP) frames.pop()
    else if (event.type === EVENT_ID.SCALAR || event.type === EVENT_ID.ALIAS) {
      const isScalar = event.type === EVENT_ID.SCALAR
      const offset = isScalar ? event.valueStart : event.anchorStart
      const path = next(isScalar ? getScalarValue(text, event) : undefined, offset)
      if (path !== undefined && !offsets.has(idOf(path))) offsets.set(idOf(path), offset)
    } else {
      const path = next(undefined, event.start)
      if (path !== undefined && !offsets.has(idOf(path))) offsets.set(idOf(path), event.start)
      frames.push({ path: path ?? [], isMap: event.type === EVENT_ID.MAPPING, key: undefined, index: 0 })
    }
  }
  return (path) => lineAt(text, nearestOffset(offsets, path))
}

function nearestOffset(offsets: ReadonlyMap<string, number>, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const offset = offsets.get(idOf(path.slice(0, length)))
    if (offset !== undefined) return offset
  }
  return 0
}

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
