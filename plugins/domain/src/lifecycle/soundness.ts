import { isList, isMap, type MapNode, type Node, UNRESOLVED, valueAt } from '../definition/document.ts'
import type { Path } from '../definition/problem.ts'

/**
 * Tells the places of which the model speaks rightly. Around what breaks the language it does not: in the same
 * resource, in one that names the resource or enumeration at fault, and in the same section of the domain.
 */
export function soundness(document: MapNode, faults: readonly Path[]): (path: Path) => boolean {
  if (faults.length === 0) return () => true
  const resources = valueAt(document, ['domain', 'resources'])
  const named = new Set(
    faults.flatMap(([, section, name]) => (name === undefined ? [] : [String(name), section])),
  )
  const sections = new Set(faults.map(([, section]) => section))
  const known = new Map<unknown, boolean>()
  const isSoundResource = (name: string | number) =>
    !named.has(String(name)) && isMap(resources) && !mentions(resources[name], named)
  return ([, section, name]) => {
    if (section !== 'resources') return !sections.has(section)
    if (name === undefined) return !sections.has('resources')
    const sound = known.get(name) ?? isSoundResource(name)
    known.set(name, sound)
    return sound
  }
}

/** Whether a text in `node` is one of `names`, or something in it could not be resolved. */
function mentions(node: Node | undefined, names: ReadonlySet<unknown>): boolean {
  if (node === UNRESOLVED) return true
  if (isList(node)) return node.some((item) => mentions(item, names))
  if (isMap(node)) return Object.values(node).some((value) => mentions(value, names))
  return typeof node === 'string' && names.has(node)
}
