import type { z } from 'zod'
import { entriesOf, isList, isMap, mapOf, type MapNode, type Node, valueAt } from './document.ts'
import { judge, without } from './judge.ts'
import type { Path } from './problem.ts'

/** What is left of a part of a definition that breaks the language. */
export interface Mended<T> {
  /** Undefined where nothing of it can be used. */
  readonly parsed: T | undefined
  /** What was left out, or stands in as something else. */
  readonly dropped: readonly Path[]
}

/**
 * What is left of a part of a definition without its faults, so that the model can be built around it: the least that
 * has to go is left out, and a field that is none stands in as one of any kind.
 */
export function mended<T>(node: MapNode, faults: readonly Path[], schema: z.ZodType<T>): Mended<T> {
  const stands = withStandIns(node, faults)
  const dropped: Path[] = faults.flatMap((path) => (isStoodIn(path) ? [] : [leastOf(path, stands)]))
  for (let size = -1; dropped.length > size;) {
    size = dropped.length
    const { parsed, faults: left } = judge(without(stands, dropped), schema)
    if (parsed !== undefined) return { parsed, dropped }
    // What is missing now was left out, or never there: what needs it goes too.
    for (const { path, value } of left) {
      const wider = leastOf(value === undefined ? path.slice(0, -1) : path, stands)
      if (wider.length > 0 && !dropped.some((one) => isSame(one, wider))) dropped.push(wider)
    }
  }
  return { parsed: undefined, dropped: [[]] }
}

/** The smallest part around a path that a map can do without: an item of a list is needed for those after it. */
function leastOf(path: Path, node: MapNode): Path {
  const holder = path.slice(0, -1)
  const around = valueAt(node, holder)
  if (path.length === 0 || (isMap(around) && Object.hasOwn(around, path.at(-1)!))) return path
  return isList(around) || around === undefined ? leastOf(holder, node) : holder
}

const isSame = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index])

/** Names without which nothing is a definition, and what stands in for a faulty one. */
const STAND_INS: ReadonlyMap<string, string> = new Map([
  ['name', 'domain'],
  ['version', '0'],
])

const isField = ([section, name, ...further]: Path): boolean =>
  section === 'object' && name !== undefined && further.length === 0

const isStoodIn = (path: Path): boolean =>
  isField(path) || (path[0] === 'domain' && STAND_INS.has(String(path[1])))

function withStandIns(node: MapNode, faults: readonly Path[]): MapNode {
  const changed = new Map<string, Map<string, Node>>()
  for (const path of faults.filter(isStoodIn)) {
    const [section = '', name = ''] = path.map(String)
    const entries = changed.get(section) ?? new Map<string, Node>()
    changed.set(section, entries.set(name, isField(path) ? 'json' : STAND_INS.get(name)!))
  }
  return [...changed].reduce((map, [section, entries]) => {
    const inner = map[section]
    const merged = mapOf([
      ...(isMap(inner) ? entriesOf(inner) : []),
      ...[...entries].map(([key, value]) => [key, value, undefined] as const),
    ])
    return mapOf([...entriesOf(map), [section, merged, undefined]])
  }, node)
}
