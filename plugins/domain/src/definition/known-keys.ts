import type { z } from 'zod'
import type { Path } from './problem.ts'

type Schema = z.core.$ZodType

/** The keys that `schema` knows in the map at `path`. */
export function knownKeys(schema: Schema, path: Path): readonly string[] {
  let found: readonly Schema[] = alternatives(schema)
  for (const step of path) found = found.flatMap((one) => inner(one, step)).flatMap(alternatives)
  return [...new Set(found.flatMap(ownKeys))]
}

/** The schemas that a value may follow, without wrappers. */
function alternatives(schema: Schema): readonly Schema[] {
  const { def } = typed(schema)
  switch (def.type) {
    case 'union':
      return def.options.flatMap(alternatives)
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return alternatives(def.innerType)
    case 'pipe':
      return alternatives(def.in)
    case 'intersection':
      return [...alternatives(def.left), ...alternatives(def.right)]
    default:
      return [schema]
  }
}

function inner(schema: Schema, step: string | number): readonly Schema[] {
  const { def } = typed(schema)
  switch (def.type) {
    case 'object': {
      const property = Object.hasOwn(def.shape, step) ? def.shape[step] : def.catchall
      return property ? [property] : []
    }
    case 'record':
      return [def.valueType]
    case 'array':
      return [def.element]
    default:
      return []
  }
}

function ownKeys(schema: Schema): readonly string[] {
  const { def } = typed(schema)
  return def.type === 'object' ? Object.keys(def.shape) : []
}

/** Every schema is one of zod's own kinds, which its base type does not say. */
const typed = (schema: Schema) => (schema as z.core.$ZodTypes)._zod
