import type { z } from 'zod'
import { entriesOf, isMap, mapOf, type MapNode, type Node, valueAt } from './document.ts'
import { judge, without } from './judge.ts'
import type { Path } from './problem.ts'

/**
 * What is left of a part of a definition without its faults, so that the model can be built around it: a field
 * stands in as one of any kind, everything else is left out. Undefined where that does not do.
 */
export function mended<T>(node: MapNode, faults: readonly Path[], schema: z.ZodType<T>): T | undefined {
  const stands = withStandIns(node, faults)
  const left = without(
    stands,
    faults.flatMap((path) => entryAround(path, stands)),
  )
  return judge(left, schema).parsed
}

/** Names without which nothing is a definition, and what stands in for a faulty one. */
const STAND_INS: Readonly<Record<string, string>> = { name: 'domain', version: '0' }

function withStandIns(node: MapNode, faults: readonly Path[]): MapNode {
  const changed = new Map<string, Map<string, Node>>()
  for (const [section, name] of faults.map((path) => path.map(String))) {
    if (section === 'object' && name !== undefined) put(changed, section, name, 'json')
    const standIn = section === 'domain' && name !== undefined ? STAND_INS[name] : undefined
    if (standIn !== undefined) put(changed, 'domain', name!, standIn)
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

function put(into: Map<string, Map<string, Node>>, section: string, name: string, value: Node): void {
  const entries = into.get(section) ?? new Map<string, Node>()
  into.set(section, entries.set(name, value))
}

/** The entry of a section that holds a fault, or the section; nothing where a stand-in took its place. */
function entryAround(path: Path, node: MapNode): readonly Path[] {
  const [section, name, entry] = path
  if (section === 'domain') {
    if (name === undefined || STAND_INS[name] !== undefined) return []
    return entry === undefined || !isMap(valueAt(node, ['domain', name]))
      ? [['domain', name]]
      : [['domain', name, entry]]
  }
  if (section === undefined || (section === 'object' && name !== undefined)) return []
  return name === undefined || !isMap(node[section]) ? [[section]] : [[section, name]]
}
