import type { Text } from '../definition/schema/text.ts'
import type { Inner, Inside } from '../fields/field-type.ts'
import type { Subject } from './speech.ts'

/** What is known of the place that a fault speaks of. */
export interface Place {
  /** Of the innermost field on the way that has a label. */
  readonly label: Text | undefined
  /** The name of the outermost field's type. */
  readonly type: string
}

/** The place at a path of names and numbers of items, `lines.0.price`; undefined where it begins with no field. */
export function placeOf(path: string, { fields }: Subject): Place | undefined {
  const dot = path.indexOf('.')
  const field = fields.get(dot === -1 ? path : path.slice(0, dot))
  if (field === undefined) return undefined
  const { label, compiled } = field
  const inner = dot === -1 ? undefined : labelInside(compiled, path.slice(dot + 1).split('.'))
  return { label: inner ?? label, type: compiled.type.name }
}

/** A field inside another, or a form without a type of its own. */
type Inward = Inner & { readonly label?: Text | undefined }

/** The label of the innermost field on the way. Which block a value is does not show from a path, so that ends at one. */
function labelInside(outer: Inner, names: readonly string[]): Text | undefined {
  let [at, label]: [Inward, Text | undefined] = [outer, undefined]
  for (const name of names) {
    const found = step(at.members, name)
    if (found === undefined) break
    label = found.label ?? label
    at = found
  }
  return label
}

function step(inside: Inside | undefined, name: string): Inward | undefined {
  if (inside === undefined) return undefined
  if ('items' in inside) return inside.items
  return 'fields' in inside ? inside.fields.get(name) : undefined
}
