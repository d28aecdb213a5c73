import type { z } from 'zod'
import { isMap, type Node, valueAt } from './document.ts'
import type { Path } from './problem.ts'

type Schema = z.core.$ZodType

/** The keys that `schema` knows in the map at `path`; where a document is given, those that its maps may have by what they say of their kind. */
export function knownKeys(schema: Schema, path: Path, document?: Node): readonly string[] {
  let value = document
  let found: readonly Schema[] = alternatives(schema, value)
  for (const step of path) {
    value = value === undefined ? undefined : valueAt(value, [step])
    found = found.flatMap((one) => inner(one, step)).flatMap((one) => alternatives(one, value))
  }
  return [...new Set(found.flatMap(ownKeys))]
}

/** The schemas that a value may follow, without wrappers. */
function alternatives(schema: Schema, value?: Node): readonly Schema[] {
  const { def } = typed(schema)
  switch (def.type) {
    case 'union':
      return optionsFor(def, value).flatMap((one) => alternatives(one, value))
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return alternatives(def.innerType, value)
    case 'pipe':
      return alternatives(def.in, value)
    case 'intersection':
      return [...alternatives(def.left, value), ...alternatives(def.right, value)]
    default:
      return [schema]
  }
}

/** The options of a union that a value chooses by one of its keys; all of them where it chooses none. */
function optionsFor(def: z.core.$ZodUnionDef, value: Node | undefined): readonly Schema[] {
  const key: unknown = 'discriminator' in def ? def.discriminator : undefined
  const chosen = typeof key === 'string' && isMap(value) ? value[key] : undefined
  const fitting = def.options.filter((one) => one._zod.propValues?.[String(key)]?.has(chosen as never))
  return fitting.length > 0 ? fitting : def.options
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
