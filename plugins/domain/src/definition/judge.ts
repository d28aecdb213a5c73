import type { z } from 'zod'
import {
  entriesOf,
  isList,
  isMap,
  mapItems,
  mapOf,
  type MapNode,
  mapValues,
  type Node,
  UNRESOLVED,
  valueAt,
} from './document.ts'
import { isOtherType } from './messages.ts'
import type { Path } from './problem.ts'

/** Something that a schema refuses; undefined is the value of a key that is missing. */
export interface Fault {
  readonly path: Path
  readonly issue: z.core.$ZodIssue
  readonly value: Node | undefined
}

/** What a schema makes of a document. */
export interface Judgement<T> {
  /** Undefined where there are faults. */
  readonly parsed: T | undefined
  readonly faults: readonly Fault[]
  /** Paths of the keys that the schema does not know. */
  readonly unknown: readonly Path[]
}

/** Parses a document; where it has unknown keys, parses again without them, so that the rest is checked whole. */
export function judge<T>(document: MapNode, schema: z.ZodType<T>): Judgement<T> {
  // An empty message marks those that the schema leaves to us.
  const result = schema.safeParse(document, { error: () => '' })
  if (result.success) return { parsed: result.data, faults: [], unknown: [] }
  const faults = result.error.issues.flatMap((issue) => faultsOf(issue, [], document))
  const unknown = faults.flatMap(({ path, issue }) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [],
  )
  if (unknown.length === 0) return { parsed: undefined, faults, unknown }
  const rest = judge(without(document, unknown), schema)
  return { ...rest, unknown: [...unknown, ...rest.unknown] }
}

/** The faults that an issue holds; of a union's branches, those of the one that the value was meant for. */
function faultsOf(issue: z.core.$ZodIssue, around: Path, document: MapNode): readonly Fault[] {
  const path = [...around, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))]
  if (issue.code === 'invalid_union') {
    const meant = issue.errors
      .filter((branch) => !branch.some(isOtherType))
      .toSorted((a, b) => a.length - b.length)[0]
    if (meant) return meant.flatMap((inner) => faultsOf(inner, path, document))
  }
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => faultsOf(inner, path, document))
  return [{ path, issue, value: valueAt(document, path) }]
}

/** A copy of a document without the keys that `paths` lead to. */
export function without(document: MapNode, paths: readonly Path[]): MapNode {
  const dropped = new Map<Node | undefined, Set<string>>()
  for (const path of paths) {
    const holder = valueAt(document, path.slice(0, -1))
    const keys = dropped.get(holder) ?? new Set()
    dropped.set(holder, keys.add(String(path.at(-1))))
  }
  return copyMap(document)

  function copyMap(map: MapNode): MapNode {
    const keys = dropped.get(map)
    const kept = keys ? mapOf(entriesOf(map).filter(([key]) => !keys.has(key))) : map
    return mapValues(kept, copy)
  }

  function copy(node: Node): Node {
    if (isList(node)) return mapItems(node, copy)
    return isMap(node) && node !== UNRESOLVED ? copyMap(node) : node
  }
}
