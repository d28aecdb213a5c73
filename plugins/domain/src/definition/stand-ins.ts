import type { z } from 'zod'
import { entriesOf, isList, isMap, mapItems, mapOf, type MapNode, type Node } from './document.ts'
import type { Fault } from './judge.ts'
import type { Path } from './problem.ts'

/**
 * A value that a schema would take in place of one that it refuses, or that is missing: the simplest of its type. Undefined
 * where the fault does not say what is wanted.
 */
function standInFor(issue: z.core.$ZodIssue): Node | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return SIMPLEST[issue.expected]
    case 'invalid_value':
      return issue.values.filter((value) => typeof value === 'string').at(-1)
    case 'invalid_union': {
      const [first] = issue.errors
        .map(([inner]) => inner && standInFor(inner))
        .filter((one) => one !== undefined)
      return first
    }
    default:
      return undefined
  }
}

/** A number that nobody writes is no other's double. */
const SIMPLEST: Readonly<Record<string, Node>> = {
  string: 'x',
  number: 1009,
  int: 1009,
  boolean: false,
}

/** Values in place of those that a schema refuses; each place is tried once. */
export class StandIns {
  readonly #tried = new Set<string>()
  readonly #values = new Map<string, readonly [Path, Node]>()

  /** How many places were tried. */
  get tries(): number {
    return this.#tried.size
  }

  /** Whether something new can stand in for what is at fault. */
  offer({ path, issue }: Fault): boolean {
    const key = JSON.stringify(path)
    const value = this.#tried.has(key) ? undefined : standInFor(issue)
    if (value === undefined) return false
    this.#tried.add(key)
    this.#values.set(key, [path, value])
    return true
  }

  /** Gives up what stands at or around a place, and tells where that was; undefined where nothing does. */
  takeBack(at: Path): Path | undefined {
    for (const [key, [path]] of this.#values)
      if (isInside(at, path)) {
        this.#values.delete(key)
        return path
      }
    return undefined
  }

  /** The document with them, but for what stands in parts that were left out. */
  in(document: MapNode, dropped: readonly Path[]): MapNode {
    const isThere = ([path]: readonly [Path, Node]) =>
      !dropped.some((one) => one.length < path.length && isInside(path, one))
    return withValues(document, [...this.#values.values()].filter(isThere))
  }
}

const isInside = (inner: Path, outer: Path): boolean =>
  inner.length >= outer.length && outer.every((step, index) => step === inner[index])

/** A copy of a document in which values stand at paths; every path but its end is there. */
function withValues(document: MapNode, values: readonly (readonly [Path, Node])[]): MapNode {
  return values.reduce((map, [path, value]) => {
    const changed = withValue(map, path, value)
    return isMap(changed) ? changed : map
  }, document)
}

function withValue(node: Node | undefined, [step, ...further]: Path, value: Node): Node {
  if (step === undefined) return value
  if (isList(node))
    return mapItems(node, (item, at) => (at === step ? withValue(item, further, value) : item))
  if (!isMap(node)) return node ?? null
  const name = String(step)
  const entries = entriesOf(node)
  if (!Object.hasOwn(node, name))
    return further.length > 0 ? node : mapOf([...entries, [name, value, undefined]])
  return mapOf(
    entries.map(([key, inner, place]) => [
      key,
      key === name ? withValue(inner, further, value) : inner,
      place,
    ]),
  )
}
