import { isCleanText } from '@svc/kernel'
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

/** The value of a variable; undefined where it is unset, or where the definition may not read it. */
export type Variables = (name: string) => string | undefined

/**
 * The variables of an environment that a definition may read: any, or those that `allowed` lists by name or
 * as `PREFIX_*`. What it may not read counts as unset.
 */
export function variablesOf(
  environment: Readonly<Record<string, string | undefined>>,
  allowed?: readonly string[],
): Variables {
  const mayRead = (name: string) =>
    allowed?.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name)) ?? true
  return (name) => (Object.hasOwn(environment, name) && mayRead(name) ? environment[name] : undefined)
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/g

/** Replaces `${VAR}` and `${VAR:default}`; answers the names that have neither a value nor a default. */
export function substituteText(
  text: string,
  variables: Variables,
): { text: string; unset: readonly string[] } {
  const unset: string[] = []
  const replaced = text.replace(VARIABLE, (whole, name: string, fallback: string | undefined) => {
    const value = variables(name) ?? fallback
    if (value === undefined) unset.push(name)
    return value ?? whole
  })
  return { text: replaced, unset }
}

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
    const { text, unset } = substituteText(written, variables)
    for (const name of unset) reportUnset(findings, name, [...path], positionOf(document, path))
    if (!isCleanText(text)) findings.add([...path], UNCLEAN, positionOf(document, path))
    if (!budget.spend(text.length)) throw findings.fatal([...path], TOO_LARGE, positionOf(document, path))
    return unset.length > 0 ? UNRESOLVED : text
  }
}
