import type { Value } from '@svc/store/contract'
import { isList, isObject } from './check/json.ts'
import type { CompiledType, Inner, Inside, Members } from './field-type.ts'

/** Where something stands inside a value: names of fields and numbers of items, from the outside in. */
export type InnerPath = readonly (string | number)[]

/** Hears of a value in stored form, which is never null, of its type, and of where it stands. */
export type Visit = (type: CompiledType, value: Exclude<Value, null>, path: InnerPath) => void

/** Visits a value of `type` and every field inside of it, the outer before the inner. */
export function walk(type: Inner, value: Value, visit: Visit, path: InnerPath = []): void {
  if (value === null) return
  if (type.type !== undefined) visit(type, value, path)
  if (type.members !== undefined) walkInside(type.members, value, visit, path)
}

/** What values refer to. */
export interface Referred {
  readonly type: CompiledType
  readonly id: string
  readonly path: InnerPath
}

/** Everything that a value, or a field inside of it, refers to. */
export function referredBy(type: CompiledType, value: Value): readonly Referred[] {
  const found: Referred[] = []
  walk(type, value, (inner, one, path) => {
    for (const id of inner.refersTo?.(one) ?? []) found.push({ type: inner, id, path })
  })
  return found
}

function walkInside(inside: Inside, value: Exclude<Value, null>, visit: Visit, path: InnerPath): void {
  if ('items' in inside) {
    if (isList(value)) value.forEach((one, at) => walk(inside.items, one, visit, [...path, at]))
  } else if ('fields' in inside) {
    walkFields(inside.fields, value, visit, path)
  } else if (isObject(value) && typeof value['type'] === 'string') {
    const fields = inside.blocks.get(value['type'])
    if (fields) walkFields(fields, value['data'] ?? null, visit, [...path, 'data'])
  }
}

function walkFields(fields: Members, value: Value, visit: Visit, path: InnerPath): void {
  if (!isObject(value)) return
  for (const [name, member] of fields) {
    if (Object.hasOwn(value, name)) walk(member, value[name] ?? null, visit, [...path, name])
  }
}

/**
 * Tells whether `holds` of a type, or of a field that its values may have inside. Blocks that many fields hold are looked
 * through once.
 */
export function someInside(holds: (type: CompiledType) => boolean): (type: Inner) => boolean {
  const known = new WeakMap<Members, boolean>()

  const look = (type: Inner, seen: Set<Members>): boolean => {
    if (type.type !== undefined && holds(type)) return true
    if (type.members === undefined) return false
    if ('items' in type.members) return look(type.members.items, seen)
    const groups = 'fields' in type.members ? [type.members.fields] : [...type.members.blocks.values()]
    return groups.some((members) => {
      const found = known.get(members)
      // A block may hold itself.
      if (found !== undefined || seen.has(members)) return found ?? false
      seen.add(members)
      const does = [...members.values()].some((member) => look(member, seen))
      if (does) known.set(members, true)
      return does
    })
  }

  return (type) => {
    const seen = new Set<Members>()
    const does = look(type, seen)
    // Of all that was looked through to its end, nothing does.
    if (!does) for (const members of seen) known.set(members, false)
    return does
  }
}
