import { isList, isMap, type MapNode, type Node } from './document.ts'
import type { Definition } from './schema/definition.ts'

/** Values, conditions and texts for people: what a variable puts there is nobody's business but the service's. */
const REDACTED: ReadonlySet<string> = new Set(
  'default sets where config filter validation guard condition description label plural icon detail message locales'.split(
    ' ',
  ),
)

/** Maps whose keys are names that authors choose, whatever they are called. */
const NAMED: ReadonlySet<string> = new Set(
  'resources object enums values blocks relationships computed states transitions scopes fields conditional custom events'.split(
    ' ',
  ),
)

const PERMISSIONS: ReadonlySet<string> = new Set(['permissions', 'conditional', 'transitions'])

/**
 * A definition for eyes that may not see what variables hold: defaults, conditions and texts for people stand as
 * they are written. Names, types, bounds, paths, roles and formulas stay as they are meant: the service shows them
 * by what it does, and its tables come from them.
 */
export function redacted(definition: Definition, written: MapNode): Definition {
  return redact(definition, written['domain'] ?? null, 'domain', false) as Definition
}

/** `key` is what the value stands under, names passed over; `isNamed`: the keys of the map are names. */
function redact(value: unknown, written: Node, key: string, isNamed: boolean): unknown {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && isList(written))
    return value.map((item, at) => redact(item, written[at] ?? null, key, false))
  if (typeof value !== 'object' || value === null || !isMap(written)) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const source = written[name] ?? null
    if (!isNamed && isRedacted(name, key, inner)) return [name, source]
    return [name, redact(inner, source, isNamed ? key : name, !isNamed && NAMED.has(name))]
  })
  return Object.fromEntries(entries)
}

/** A permission is a list of roles, or an expression; what an operation writes into fields is a value. */
function isRedacted(name: string, around: string, value: unknown): boolean {
  if (REDACTED.has(name)) return true
  if (PERMISSIONS.has(around)) return typeof value === 'string'
  return name === 'fields' && (around === 'customOperations' || around === 'custom')
}
