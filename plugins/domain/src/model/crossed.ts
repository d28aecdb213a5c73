import type { Expression, Neighbours, Node } from '@svc/expression/contract'
import type { Row, Value } from '@svc/store/contract'

/** Under which name neighbours have what the formula of a field finds in other records; no text can write it. */
export const crossedName = (field: string): string => `~crossed ${field}`

/** Whether a relation stands for what a formula finds. */
export const isCrossedName = (name: string): boolean => name.startsWith('~crossed ')

/** What the crossings of an expression came to, as neighbours have it. */
export const crossedRecord = ({ crossings }: Expression, values: ReadonlyMap<Node, Value>): Row =>
  Object.fromEntries(crossings.map(({ call }, at) => [String(at), values.get(call) ?? null]))

/** What the crossings of a field's formula come to; undefined where nobody has looked. */
export function crossedIn(
  field: string,
  { crossings }: Expression,
  neighbours: Neighbours | undefined,
): ReadonlyMap<Node, Value> | undefined {
  if (crossings.length === 0) return undefined
  const found = neighbours?.[crossedName(field)] ?? null
  if (found === null || !('record' in found)) return undefined
  return new Map(crossings.map(({ call }, at) => [call, found.record[String(at)] ?? null]))
}
