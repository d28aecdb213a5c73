import { isCleanText, substituteVariables, type Variables } from '@svc/kernel'
import {
  isList,
  isMap,
  mapItems,
  type MapNode,
  mapValues,
  type Node,
  positionOf,
  UNRESOLVED,
} from './document.ts'
import type { Findings } from './findings.ts'
import { Budget, TOO_LARGE, UNCLEAN } from './limits.ts'
import type { Path, Position } from './problem.ts'

/** Says that a variable is missing. */
export function reportUnset(
  findings: Findings,
  name: string,
  path: Path,
  position: Position | undefined,
): void {
  const message = `The variable ${name} is not set, or may not be read here`
  findings.add(path, message, position, `Set it, allow it, or give a default: \${${name}:…}`)
}

/** A document with every variable replaced in its texts; keys stay as they are. */
export function substitute(document: MapNode, variables: Variables, findings: Findings): MapNode {
  const budget = new Budget()
  const path: (string | number)[] = []
  return mapValues(document, at)

  function at(value: Node, step: string | number): Node {
    path.push(step)
    const changed = replaced(value)
    path.pop()
    return changed
  }

  function replaced(value: Node): Node {
    if (typeof value === 'string') return value.includes('${') ? text(value) : value
    if (isList(value)) return mapItems(value, at)
    return isMap(value) && value !== UNRESOLVED ? mapValues(value, at) : value
  }

  function text(written: string): Node {
    const { text, unset } = substituteVariables(written, variables)
    for (const name of unset) reportUnset(findings, name, [...path], positionOf(document, path))
    if (!isCleanText(text)) findings.add([...path], UNCLEAN, positionOf(document, path))
    if (!budget.spend(text.length)) throw findings.fatal([...path], TOO_LARGE, positionOf(document, path))
    return unset.length > 0 ? UNRESOLVED : text
  }
}
