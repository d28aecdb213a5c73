import type { z } from 'zod'
import { entriesOf, isList, isMap, mapOf, type MapNode, type Node, valueAt } from './document.ts'
import { type Fault, judge, without } from './judge.ts'
import type { Path } from './problem.ts'
import { StandIns } from './stand-ins.ts'

/** What is left of a part of a definition that breaks the language. */
export interface Mended<T> {
  /** Undefined where nothing of it can be used. */
  readonly parsed: T | undefined
  /** What was left out, or stands in as something else. */
  readonly dropped: readonly Path[]
}

/**
 * What is left of a part of a definition without its faults, so that the model can be built around it: the least that
 * has to go is left out, and a field that is none stands in as one of any kind. With `standsIn` the simplest value of its type stands in for
 * what others need.
 */
export function mended<T>(
  node: MapNode,
  faults: readonly Fault[],
  schema: z.ZodType<T>,
  { standsIn = false }: { readonly standsIn?: boolean } = {},
): Mended<T> {
  const stands = withStandIns(
    node,
    faults.map(({ path }) => path),
  )
  const values = new StandIns()
  const dropped: Path[] = []
  const drop = (path: Path) => {
    if (!dropped.some((one) => isSame(one, path))) dropped.push(path)
  }
  for (const fault of faults) {
    const { path } = fault
    if (isStoodIn(path)) continue
    // A key is missing, or another item of the list may lean on its place.
    const isNeeded = fault.value === undefined || isList(valueAt(stands, path.slice(0, -1)))
    if (!(standsIn && isNeeded && values.offer(fault))) drop(leastOf(path, stands))
  }
  for (let size = -1; dropped.length + values.tries > size;) {
    size = dropped.length + values.tries
    const { parsed, faults: left } = judge(values.in(without(stands, dropped), dropped), schema)
    if (parsed !== undefined) return { parsed, dropped }
    // What is missing now was left out, or never there: something else stands in for it, or what needs it goes too.
    for (const fault of left) {
      const { path, value } = fault
      const tried = values.takeBack(path)
      if (tried === undefined && value === undefined && standsIn && values.offer(fault)) continue
      const at = tried?.slice(0, -1) ?? (value === undefined ? path.slice(0, -1) : path)
      const wider = leastOf(at, stands)
      if (wider.length > 0) drop(wider)
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
