import { type MapNode, positionOf } from './document.ts'
import { Findings } from './findings.ts'
import type { Path } from './problem.ts'
import { readText } from './read.ts'

/** A text that was read as a map, which is no definition. */
export interface ReadMap {
  readonly root: Readonly<Record<string, unknown>>
  /** The line of what stands at a path, from 1. */
  lineOf(path: Path): number
}

/**
 * Reads a text as YAML 1.2, or as JSON where it looks like that, by the rules and within the bounds of definitions. Throws
 * DefinitionError with all that is wrong with it.
 */
export function readMap(text: string): ReadMap {
  const findings = new Findings()
  const { root } = readText(text, findings)
  if (findings.hasProblems) throw findings.error()
  const map: MapNode = root
  return { root: map, lineOf: (path) => positionOf(map, path)?.line ?? 1 }
}
